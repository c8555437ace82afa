// Generations and a run while llama_decode may fail. Prints the outcomes as JSON, and ends with 0 if each failure was
// an error with a code and the engine can be used afterwards.
import { bundledModel, createEngine, LlamaHooksError, tool } from "../../dist/index.js";

const engine = await createEngine({ model: bundledModel, threads: 1, contextSize: 512, parallel: 2, gpu: false });
const outcomes = [];

async function attempt(work) {
  try {
    const { finishReason } = await work();
    outcomes.push(finishReason);
  } catch (error) {
    if (!(error instanceof LlamaHooksError) || error.code === "INTERNAL") throw error;
    outcomes.push(error.code);
  }
}

const weather = tool({
  name: "weather",
  description: "Tells the current weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: () => "cold",
});
const options = { temperature: 0, maxTokens: 12 };
await Promise.all([
  attempt(() => engine.generate("What is 12 * 7?", options)),
  attempt(() => engine.generate("Count to ten.", options)),
]);
const session = engine.session({ tools: [weather], temperature: 0, maxIterations: 3 });
await attempt(() => session.run("What is the weather in Oslo?"));
await attempt(() => session.run("And again?"));
await attempt(async () => {
  await engine.embed(["Hello"]);
  return { finishReason: "embedded" };
});
await engine.close();
console.log(JSON.stringify(outcomes));
