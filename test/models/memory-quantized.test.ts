// The memory of weights that are pages of the file or repacked for the CPU: estimated, counted, held to a budget.
import path from "node:path";
import { expect, test } from "vitest";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { script } from "../fixtures/child.js";
import { openEngine, tempDir } from "../support/engine.js";

const mib = 2 ** 20;
const shape = { layers: 6, embedding: 512, heads: 8, kvHeads: 4, feedForward: 1536, vocabulary: 8000 };

test.each(["F16", "Q8_0", "Q4_0"] as const)(
  "%s: the estimate is what is taken, from the file's pages and without, and no more than the budget",
  async (quantization) => {
    const file = path.join(await tempDir(), "model.gguf");
    await writeSyntheticModel(file, shape, { quantization });
    for (const mmap of [true, false]) {
      const probe = await openEngine([], { models: {} });
      const options = { path: file, threads: 1, parallel: 1, contextSize: 256, mmap };
      const { estimate } = await probe.models.estimate(options);
      const memoryBudget = Math.ceil(estimate.hostBytes / mib) + 1;
      const engine = await openEngine([], { models: {}, memoryBudget });
      const { measured } = await engine.models.load("one", options);
      console.log(`${quantization}, mmap ${mmap}: ${estimate.hostBytes} bytes expected, ${measured.hostBytes} taken`);
      expect(Math.abs(measured.hostBytes - estimate.hostBytes)).toBeLessThan(0.05 * estimate.hostBytes);
      expect(engine.memory()[0]?.usedBytes).toBeLessThanOrEqual(memoryBudget * mib);
      const { text } = await engine.generate("Hi", { raw: true, maxTokens: 2, ignoreEos: true });
      expect(text).not.toBe("");
    }
  },
);

/** Resident memory before a load and after. */
const resident = `
  const engine = await createEngine({ models: {} });
  globalThis.gc();
  const before = process.memoryUsage.rss();
  const { measured } = await engine.models.load("one", { path: model, threads: 1, parallel: 1, contextSize: 256, mmap: false });
  await engine.generate("Hi", { raw: true, maxTokens: 2, ignoreEos: true });
  globalThis.gc();
  console.log(JSON.stringify({ grown: process.memoryUsage.rss() - before, measured: measured.hostBytes }));
  await engine.close();
`;

test.runIf(process.platform === "linux")("what is said to be taken is what the process grows by", async () => {
  const file = path.join(await tempDir(), "model.gguf");
  await writeSyntheticModel(
    file,
    { ...shape, layers: 10, embedding: 1024, feedForward: 4096 },
    { quantization: "F16" },
  );
  const { code, stdout, stderr } = await script(resident, file, ["--expose-gc"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { grown, measured } = JSON.parse(stdout) as { grown: number; measured: number };
  console.log(`${measured} bytes measured, ${grown} more resident`);
  expect(measured).toBeGreaterThan(200 * mib);
  expect(Math.abs(grown - measured)).toBeLessThan(0.05 * measured);
});
