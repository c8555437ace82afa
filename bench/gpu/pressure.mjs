// Tests ON_VRAM_PRESSURE with a GPU's real memory: creates contexts until the device lacks memory for the next.
//     node bench/gpu/pressure.mjs --gpu cuda|vulkan [--module FILE] [--budget MIB]
// Prints the observations as JSON; exit code 1 if one is wrong. With --budget the engine uses at most so many MiB of
// the device, for devices whose reported memory never changes (Mesa's software device).
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createEngine } from "../../dist/index.js";
import { writeSyntheticModel } from "../../dist/testing/index.js";

const mib = 2 ** 20;
const shape = {
  layers: 8,
  embedding: 512,
  heads: 8,
  kvHeads: 8,
  feedForward: 512,
  vocabulary: 512,
  contextLength: 2 ** 24,
};
const bytesOfToken = shape.layers * 2 * shape.embedding * 2; // keys and values of a token, F16
// Two fit at once, with the memory for computing; a third does not.
const share = 0.36;

const { values } = parseArgs({
  options: { gpu: { type: "string" }, module: { type: "string" }, budget: { type: "string" } },
});
if (values.module !== undefined) process.env.LLAMA_HOOKS_GPU_MODULE = path.resolve(values.module);
const budget = values.budget === undefined ? undefined : Number(values.budget);

const problems = [];
const expect = (holds, what) => void (holds || problems.push(what));

const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-pressure-"));
let engine;
try {
  const model = path.join(folder, "model.gguf");
  await writeSyntheticModel(model, shape, { quantization: "F16" });
  engine = await createEngine({
    models: {},
    gpu: values.gpu,
    ...(budget !== undefined && { memoryBudget: budget }),
  });
  const gpu = () => engine.memory().find(({ type }) => type === "gpu" || type === "igpu");
  const before = gpu();
  const room = budget === undefined ? before.freeBytes : budget * mib;
  const contextSize = Math.floor((share * room) / bytesOfToken / 256) * 256;
  const load = (id) => engine.models.load(id, { path: model, threads: 1, parallel: 1, contextSize });
  await load("first");
  await load("second");
  const full = gpu();
  const asked = [];
  engine.hooks.on("vramPressure", (event) => void asked.push(event));
  await load("third");
  const states = engine.models.list().map(({ modelId, state }) => `${modelId} ${state}`);
  const { text } = await engine.generate("go", { model: "third", raw: true, maxTokens: 4, ignoreEos: true });
  const freed = [];
  for (const id of ["third", "second", "first"]) freed.push((await engine.models.unload(id)).freed.deviceBytes);
  const after = gpu();

  const [event] = asked;
  expect(asked.length === 1, `vramPressure fired ${asked.length} times, not once`);
  expect(event?.device === before.device, `it was of ${event?.device}, not of ${before.device}`);
  expect(event?.plan.join() === "first", `the plan was ${event?.plan.join()}, not first`);
  expect(states.join() === "first cold,second ready,third ready", `models are ${states.join()}`);
  expect(text !== "", "the third model says nothing");
  expect(freed[0] > share * room * 0.9 && freed[2] === 0, `unloading freed ${freed.join()} bytes`);
  if (budget === undefined) {
    const near = (a, b) => Math.abs(a - b) < 0.02 * before.totalBytes;
    expect(
      near(event?.freeBytes, full.freeBytes),
      `${event?.freeBytes} bytes free, and the device says ${full.freeBytes}`,
    );
    expect(near(before.freeBytes - full.freeBytes, full.usedBytes), "what is used is not what the device has less");
    expect(
      near(after.freeBytes, before.freeBytes),
      `${after.freeBytes} bytes are free at the end, of ${before.freeBytes}`,
    );
  }
  const figures = { before: before.freeBytes, full: full.freeBytes, used: full.usedBytes, after: after.freeBytes };
  console.log(
    JSON.stringify({
      device: before.device,
      totalBytes: before.totalBytes,
      contextSize,
      figures,
      event,
      states,
      freed,
    }),
  );
} finally {
  await engine?.close();
  await rm(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`pressure.mjs: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
