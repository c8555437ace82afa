// A process of an engine's own that does not die, and does not go on either.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { bundledModel } from "../../src/index.js";
import { stickLibrary, whyNotStuck } from "../fixtures/stick.js";
import { gate } from "../support/gate.js";
import { rejection, tempDir } from "../support/engine.js";
import { isThere, openIsolated, processOf } from "../support/isolated.js";

const long = "word ".repeat(400);
const ended = (pattern: RegExp): object => ({
  code: "ENGINE_CRASHED",
  message: expect.stringMatching(pattern) as string,
});

test("a process that answers nothing is ended, and the next call starts it anew", async () => {
  const engine = await openIsolated([long]);
  const stopped = processOf(engine);
  const written = gate();
  engine.hooks.on("streamToken", () => written.open());
  const failure = rejection(engine.generate("Hi"));
  await written.passed;
  process.kill(stopped, "SIGSTOP");
  // More than the socket takes: its sender waits, and no other call does.
  const large = rejection(engine.models.tokenize("default", "word ".repeat(400_000)));
  const cancelled = engine.generate("Hi", { signal: AbortSignal.timeout(100) });
  expect(await large).toMatchObject(ended(/had answered nothing for 10 s/));
  expect((await cancelled).finishReason).toBe("cancelled");
  expect(await failure).toMatchObject(ended(/was ended: it had answered nothing for 10 s; it was at work for/));
  expect(isThere(stopped)).toBe(false);
  expect((await engine.generate("Hi", { maxTokens: 2 })).text).toMatch(/^word/);
}, 60_000);

test("an engine closes while its process is stopped", async () => {
  const engine = await openIsolated([long], { closeTimeoutMs: 1000 });
  const stopped = processOf(engine);
  const written = gate();
  engine.hooks.on("streamToken", () => written.open());
  const generation = engine.generate("Hi");
  await written.passed;
  process.kill(stopped, "SIGSTOP");
  await engine.close();
  expect((await generation).finishReason).toBe("cancelled");
  expect(isThere(stopped)).toBe(false);
});

describe.skipIf(whyNotStuck)(`inside llama.cpp${whyNotStuck && ` (skipped: ${whyNotStuck})`}`, () => {
  let library = "";
  beforeAll(async () => {
    const made = await stickLibrary();
    library = made.library;
    return made.remove;
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** Calls of engines that are created now stick, until `release()`. */
  async function stick(what: string, when: string): Promise<{ release: () => Promise<void> }> {
    const until = path.join(await tempDir(), "released");
    vi.stubEnv("LD_PRELOAD", library).stubEnv(what, when).stubEnv("STICK_UNTIL", until);
    return { release: () => writeFile(until, "") };
  }

  test("a step that sticks ends the process after stepTimeoutMs, also for a generation that was cancelled", async () => {
    const { release } = await stick("STICK_DECODE", "60");
    const engine = await openIsolated([], { models: {}, stepTimeoutMs: 1500 });
    const before = processOf(engine);
    await engine.models.load("default", { path: bundledModel });
    const aborted = new AbortController();
    const stuck = rejection(engine.generate("word ".repeat(100)));
    const cancelled = engine.generate("word ".repeat(100), { signal: aborted.signal });
    aborted.abort();
    expect((await cancelled).finishReason).toBe("cancelled");
    expect(await stuck).toMatchObject(
      ended(/a step of a model had not ended after 1500 ms \(stepTimeoutMs\); it was at work for/),
    );
    await release();
    expect((await engine.generate("word ".repeat(100), { maxTokens: 1 })).finishReason).toBe("length");
    expect(processOf(engine)).not.toBe(before);
  });

  test("text that sticks in the tokenizer ends the process, too", async () => {
    const { release } = await stick("STICK_TOKENIZE", "2000");
    const engine = await openIsolated([], { models: {}, stepTimeoutMs: 1500 });
    await engine.models.load("default", { path: bundledModel });
    expect(await rejection(engine.models.tokenize("default", "word ".repeat(500)))).toMatchObject(
      ended(/the request "tokenize" had not ended after 1500 ms/),
    );
    await release();
    expect((await engine.models.tokenize("default", "word ".repeat(500))).length).toBeGreaterThan(100);
  });

  test("a load may take its time, and can be killed: then the name is free", async () => {
    const { release } = await stick("STICK_LOAD", "tiny-agent");
    const engine = await openIsolated([], { models: {}, stepTimeoutMs: 1 });
    const failure = rejection(engine.models.load("one", { path: bundledModel }));
    await new Promise((resolve) => setTimeout(resolve, 2500)); // two looks of the watchdog
    process.kill(processOf(engine), "SIGKILL");
    expect(await failure).toMatchObject(ended(/signal 9 .*it was at work for ".*tiny-agent\.gguf"/));
    await release();
    expect(await engine.models.load("one", { path: bundledModel, contextSize: 64 })).toMatchObject({ modelId: "one" });
  });
});
