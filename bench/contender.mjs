// One contender of a benchmark, one measurement, in a process of its own: prints one line of JSON.
// Must not: do anything while tokens are generated but what the contender's own users would do.
//
// node bench/contender.mjs NAME JSON, with { model, tokens, threads, contextSize, prompt } as JSON; names: see below.
import { fileURLToPath } from "node:url";

const contenders = {
  engine: (job) => runEngine(job, () => {}),
  "engine-awaited": (job) => runEngine(job, (engine) => engine.hooks.on("streamToken", ({ text }) => ({ text }))),
  "engine-observed": (job) => runEngine(job, (engine) => engine.hooks.on("streamToken", () => undefined)),
  "node-llama-cpp": runNodeLlamaCpp,
};

async function runEngine({ model, tokens, threads, contextSize, prompt }, addHooks) {
  const { createEngine } = await import("../dist/index.js");
  const start = performance.now();
  const engine = await createEngine({ model, gpu: false, threads, contextSize });
  const loadMs = performance.now() - start;
  addHooks(engine);
  const { usage } = await engine.generate(prompt, { maxTokens: tokens, ignoreEos: true, raw: true, temperature: 0 });
  await engine.close();
  const { promptTokens, promptMs, completionTokens, decodeMs } = usage;
  return { loadMs, promptTokens, promptMs, completionTokens, decodeMs };
}

async function runNodeLlamaCpp({ model: modelPath, tokens, threads, contextSize, prompt }) {
  const { getLlama, LlamaLogLevel } = await import("node-llama-cpp");
  const start = performance.now();
  const llama = await getLlama({ gpu: false, build: "never", maxThreads: threads, logLevel: LlamaLogLevel.error });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize, threads, sequences: 1 });
  const sequence = context.getSequence();
  const loadMs = performance.now() - start;
  const input = model.tokenize(prompt);
  const evaluation = sequence.evaluate(input, { temperature: 0, yieldEogToken: true });
  const begun = performance.now();
  // The first token is the prompt's work; the clock of decoding runs from there, as in the plain loop.
  await evaluation.next();
  const first = performance.now();
  let completionTokens = 0;
  while (completionTokens < tokens && !(await evaluation.next()).done) completionTokens++;
  const decodeMs = performance.now() - first;
  await llama.dispose();
  return { loadMs, promptTokens: input.length, promptMs: first - begun, completionTokens, decodeMs };
}

export const contenderNames = Object.keys(contenders);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, job] = process.argv.slice(2);
  const result = await contenders[name](JSON.parse(job));
  const decodeTps = (result.completionTokens * 1000) / result.decodeMs;
  console.log(JSON.stringify({ ...result, decodeTps, peakRssKib: process.resourceUsage().maxRSS }));
}
