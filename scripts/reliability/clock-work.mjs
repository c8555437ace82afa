// Work that takes time by limits, while the clock of the wall jumps. Prints how often it was seen to jump back, and
// what did not hold.
import { setTimeout as sleep } from "node:timers/promises";
import { bundledModel, createEngine, tool } from "../../dist/index.js";

const wrong = [];
let jumps = 0;
let last = Date.now();
const look = setInterval(() => {
  const now = Date.now();
  if (now < last) jumps++;
  last = now;
}, 1);

const engine = await createEngine({ model: bundledModel, threads: 1, keepAlive: 3600, gpu: false });
engine.hooks.on("preToolCall", async () => void (await sleep(30_000, undefined, { ref: false })), { deadlineMs: 200 });
const weather = tool({
  name: "weather",
  description: "Tells the current weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  deadlineMs: 300,
  run: async () => {
    await sleep(30_000, undefined, { ref: false });
    return "late";
  },
});
const session = engine.session({ tools: [weather], temperature: 0, maxIterations: 3, maxRunMs: 20_000 });
const begin = performance.now();
const result = await session.run("What is the weather in Oslo?");
const took = performance.now() - begin;
if (took > 20_000) wrong.push(`a run with a tool of 300 ms took ${Math.round(took)} ms`);
for (const call of result.toolCalls) {
  if (call.resultKind !== "timeout") wrong.push(`the tool's call is ${call.resultKind}`);
  if (!(call.elapsedMs >= 0 && call.elapsedMs < 20_000)) wrong.push(`the tool's call took ${call.elapsedMs} ms`);
}
if (result.toolCalls.length === 0) wrong.push("no tool was called");
const { promptMs, decodeMs } = result.usage;
if (!(promptMs >= 0 && promptMs < 60_000 && decodeMs >= 0 && decodeMs < 60_000)) wrong.push("durations are wrong");
for (const decision of result.decisions) {
  if (!(decision.durationUs >= 0 && decision.durationUs < 60e6))
    wrong.push(`a decision took ${decision.durationUs} us`);
}
if (engine.models.list()[0]?.state !== "ready") wrong.push("keepAlive has unloaded the model too early");
await engine.close();
clearInterval(look);
console.log(JSON.stringify({ jumps, wrong }));
