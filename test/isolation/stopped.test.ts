// The engine's process is stopped, as by a driver that hangs, and the engine has no limit for a step: an abort, and the
// limit of a run, still end their call.
import path from "node:path";
import { expect, test } from "vitest";
import { bundledModel, type Engine } from "../../src/index.js";
import { writeEmbeddingModel } from "../../src/testing/index.js";
import { gate } from "../support/gate.js";
import { rejection, tempDir } from "../support/engine.js";
import { isThere, openIsolated, processOf } from "../support/isolated.js";

const long = "word ".repeat(400);
const never = { stepTimeoutMs: 0 };

function stop(engine: Engine): number {
  const stopped = processOf(engine);
  process.kill(stopped, "SIGSTOP");
  return stopped;
}

test("an abort ends a generation that writes, and keeps what had come", async () => {
  const engine = await openIsolated([long], never);
  const written = gate();
  engine.hooks.on("streamToken", () => written.open());
  const aborted = new AbortController();
  const work = engine.generate("Hi", { signal: aborted.signal });
  await written.passed;
  stop(engine);
  aborted.abort();
  const { finishReason, text } = await work;
  expect([finishReason, text.startsWith("word")]).toEqual(["cancelled", true]);
});

test("an abort ends a generation whose prompt was never read, however long it is", async () => {
  const engine = await openIsolated([long], never);
  stop(engine);
  const work = ["Hi", "word ".repeat(200_000)].map((text) => {
    const aborted = new AbortController();
    const generation = engine.generate(text, { signal: aborted.signal });
    setTimeout(() => aborted.abort(), 50);
    return generation;
  });
  for (const { finishReason } of await Promise.all(work)) expect(finishReason).toBe("cancelled");
});

test("an abort and maxRunMs end runs, also one with tools", async () => {
  const engine = await openIsolated([long], { ...never, parallel: 3 });
  const tool = { name: "look", parameters: { type: "object" }, run: () => "sky" };
  const written = gate();
  engine.hooks.on("streamToken", () => written.open());
  const aborted = new AbortController();
  const under = engine.session().run("Hi", { signal: aborted.signal });
  await written.passed;
  stop(engine);
  const limited = engine.session({ tools: [tool], maxRunMs: 200 }).run("Hi");
  const other = new AbortController();
  const fresh = engine.session({ tools: [tool] }).run("Hi", { signal: other.signal });
  setTimeout(() => [aborted, other].forEach((one) => one.abort()), 50);
  const ends = await Promise.all([under, fresh, limited]);
  expect(ends.map(({ finishReason, limit }) => limit ?? finishReason)).toEqual(["cancelled", "cancelled", "maxRunMs"]);
});

test("an abort ends tokenize, embed and load", async () => {
  const file = path.join(await tempDir(), "embedder.gguf");
  await writeEmbeddingModel(file, { kind: "encoder" });
  const engine = await openIsolated([], { ...never, model: file });
  await engine.embed("Hi");
  stop(engine);
  const works = [
    (signal: AbortSignal) => engine.tokenize("Hi", { signal }),
    (signal: AbortSignal) => engine.tokenize("word ".repeat(200_000), { signal }),
    (signal: AbortSignal) => engine.embed("Hi", { signal }),
    (signal: AbortSignal) => engine.models.load("other", { path: bundledModel }, { signal }),
  ].map((work) => {
    const aborted = new AbortController();
    setTimeout(() => aborted.abort(), 50);
    return rejection(work(aborted.signal));
  });
  for (const error of await Promise.all(works)) expect(error).toMatchObject({ code: "CANCELLED" });
});

test("a process that does not answer an abort is ended and replaced, without a limit for a step, too", async () => {
  const engine = await openIsolated([long], never);
  const written = gate();
  const hook = engine.hooks.on("streamToken", () => written.open());
  const aborted = new AbortController();
  const work = engine.generate("Hi", { signal: aborted.signal });
  await written.passed; // an abort before anything was sent would leave nothing behind
  hook.dispose();
  const stopped = stop(engine);
  aborted.abort();
  expect((await work).finishReason).toBe("cancelled");
  await expect.poll(() => isThere(stopped), { timeout: 60_000 }).toBe(false);
  expect((await engine.generate("Hi", { maxTokens: 2 })).text).toMatch(/^word/);
  expect(processOf(engine)).not.toBe(stopped);
}, 120_000);

test("one that continues after an abort is used on", async () => {
  const engine = await openIsolated([long], never);
  const stopped = stop(engine);
  const aborted = new AbortController();
  const work = engine.generate("word ".repeat(200_000), { signal: aborted.signal });
  setTimeout(() => aborted.abort(), 50);
  expect((await work).finishReason).toBe("cancelled");
  process.kill(stopped, "SIGCONT");
  expect((await engine.generate("Hi", { maxTokens: 2 })).text).toMatch(/^word/);
  expect(processOf(engine)).toBe(stopped);
});
