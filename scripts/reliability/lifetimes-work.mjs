// Engines that come and go in one process: `node lifetimes-work.mjs TIMES`. Each loads the bundled model, generates,
// runs a session with a tool, and closes at another moment of its work. Prints what grew, as JSON.
import { readdirSync, readFileSync } from "node:fs";
import { bundledModel, createEngine, LlamaHooksError, tool } from "../../dist/index.js";
import { nativeAddon } from "../../dist/native/addon.js";

const times = Number(process.argv[2]);
const weather = tool({
  name: "weather",
  description: "Tells the current weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: () => "cold",
});

/** The error of work that a close has ended; others are thrown. */
function endedByClose(error) {
  if (!(error instanceof LlamaHooksError) || !["CLOSED", "CANCELLED"].includes(error.code)) throw error;
}

async function life(index) {
  const engine = await createEngine({ model: bundledModel, threads: 1, contextSize: 512, parallel: 2, gpu: false });
  engine.hooks.on("streamToken", () => undefined);
  const session = engine.session({ tools: [weather], temperature: 0, maxIterations: 3 });
  const work = [session.run("What is the weather in Oslo?"), engine.generate("Count to ten.", { maxTokens: 20 })];
  const ended = work.map((each) => Promise.resolve(each).catch(endedByClose));
  // After nothing, after some tokens, after everything.
  if (index % 3 === 1) await new Promise((resolve) => engine.hooks.on("streamToken", () => void resolve()));
  if (index % 3 === 2) await Promise.all(ended);
  await engine.close();
  await Promise.all(ended);
}

async function held() {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 10)).then(gc);
  const threads = Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  return { threads, handles: readdirSync("/proc/self/fd").length, rssMb: process.memoryUsage().rss / 1e6 };
}

for (let i = 0; i < Math.min(150, times); i++) await life(i);
const warm = await held();
for (let i = 0; i < times; i++) await life(i);
const end = await held();
console.log(JSON.stringify({ times, warm, end, balance: nativeAddon().allocBalance() }));
