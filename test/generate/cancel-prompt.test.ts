import { expect, test } from "vitest";
import { openRandomEngine, slowShape } from "../support/models/random-model.js";

const prompt = "A prompt of some length. ".repeat(240);

test("a long prompt tells how far its reading is", async () => {
  const engine = await openRandomEngine({ contextSize: 8192, batchSize: 64 }, slowShape);
  const generation = engine.generate(prompt.slice(0, 1000), { maxTokens: 1, raw: true });
  const done: number[] = [];
  for await (const event of generation) {
    if (event.type !== "promptProgress") continue;
    expect(event.total).toBe(1000);
    done.push(event.processed);
  }
  expect(done.length).toBeGreaterThan(0);
  expect(done).toEqual([...done].sort((left, right) => left - right));
  expect(done.at(-1)).toBeLessThanOrEqual(1000);
});

test("a cancel while the prompt is read takes effect long before the prompt would be done", async () => {
  const engine = await openRandomEngine({ contextSize: 8192, batchSize: 64 }, slowShape);
  const generation = engine.generate(prompt, { raw: true });
  for await (const event of generation) if (event.type === "promptProgress") generation.cancel("too slow");
  const result = await generation;
  expect(result).toMatchObject({ text: "", finishReason: "cancelled", cancel: { by: "caller", reason: "too slow" } });
  expect(result.usage).toMatchObject({ promptTokens: prompt.length, completionTokens: 0 });
  const again = engine.generate(prompt, { raw: true });
  for await (const event of again) {
    if (event.type !== "promptProgress") continue;
    expect(event.cached).toBeLessThan(prompt.length / 2);
    again.cancel();
  }
});

test("a cancel does not wait for the batch that is being computed", async () => {
  const batchSize = 512;
  const engine = await openRandomEngine({ contextSize: 8192, batchSize }, slowShape);
  const generation = engine.generate(prompt, { raw: true });
  // The first batch is done, the second has just begun and takes long.
  for await (const event of generation) if (event.type === "promptProgress") generation.cancel();
  expect((await generation).finishReason).toBe("cancelled");
  const { usage } = await engine.generate(prompt.slice(0, 2 * batchSize), { maxTokens: 1, raw: true });
  expect(usage.cachedTokens).toBe(batchSize);
});
