// Load a model, stream an answer, print what it cost. Run: node examples/first-generation.mjs ["a question"]
import { createEngine } from "llama-hooks";

const engine = await createEngine(); // the bundled model; { model: "path/to/your.gguf" } for another
const generation = engine.generate(process.argv[2] ?? "Hello!", { temperature: 0, maxTokens: 64 });

for await (const event of generation) {
  if (event.type === "token") process.stdout.write(event.text);
}
const { usage, finishReason } = await generation;
console.log(`\n[${finishReason}: ${usage.completionTokens} tokens in ${usage.decodeMs.toFixed(0)} ms]`);
await engine.close();
