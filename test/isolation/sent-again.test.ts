// A call that is sent at the moment at which the engine's process dies, and the errors that hooks receive if a process
// dies while it computes nothing.
import path from "node:path";
import { expect, test } from "vitest";
import { bundledModel, type Engine } from "../../src/index.js";
import { writeEmbeddingModel } from "../../src/testing/index.js";
import { tempDir } from "../support/engine.js";
import { openIsolated, processOf } from "../support/isolated.js";

const look = (run: () => unknown) => ({ name: "look", parameters: { type: "object" }, run });
const calling = [{ toolCalls: [{ name: "look", args: {} }] }, "Done."];

const kill = (engine: Engine): void => void process.kill(processOf(engine), "SIGKILL");

/** The messages that `error` hooks receive, except those about the process itself. */
function heard(engine: Engine): string[] {
  const all: string[] = [];
  engine.hooks.on("error", ({ code, message, where }) => {
    if (where !== "process") all.push(`${where} ${code} ${message}`);
  });
  return all;
}

const hooksBeforeCalls = ["loopStart", "loopIteration", "preGenerate", "contextBudget", "contextAssemble"] as const;

test.each(hooksBeforeCalls)("a run whose process is killed at %s calls its tools all the same", async (point) => {
  const engine = await openIsolated(calling);
  let left = 1;
  engine.hooks.on(point, () => {
    if (left-- > 0) kill(engine);
  });
  const { text, finishReason, toolCalls } = await engine
    .session({ tools: [look(() => "sky")], temperature: 0 })
    .run("Go");
  expect([text, finishReason, toolCalls.map(({ result }) => result)]).toEqual(["Done.", "complete", ["sky"]]);
});

test("a run whose tool kills the process, and returns at once, does not notice", async () => {
  const engine = await openIsolated(calling);
  const run = engine.session({ tools: [look(() => (kill(engine), "sky"))], temperature: 0 }).run("Go");
  expect((await run).text).toBe("Done.");
});

/** What `error` hooks hear of a generation whose process is killed while its prompt is read, and its text. */
async function killedWhileReading(): Promise<{ readonly errors: readonly string[]; readonly text: unknown }> {
  const engine = await openIsolated({ replies: ["Hello."], contextLength: 16_384 }, { contextSize: 16_384 });
  const errors = heard(engine);
  let left = 1;
  engine.hooks.on("promptProgress", () => {
    if (left-- > 0) kill(engine);
  });
  const text = await engine.generate("word ".repeat(3000)).then(
    (result) => result.text,
    (error: unknown) => error,
  );
  return { errors, text };
}

test("a generation whose process is killed before its first piece is sent once more, and error hooks hear of it", async () => {
  // The first piece may be here before the death; then the generation fails, and nothing is sent again.
  for (let tries = 0; tries < 20; tries++) {
    const { errors, text } = await killedWhileReading();
    const again = errors.filter((one) => /^generate ENGINE_CRASHED .*signal 9.*is sent once more$/.test(one));
    if (text !== "Hello.") expect([again, text]).toEqual([[], expect.objectContaining({ code: "ENGINE_CRASHED" })]);
    else if (errors.length > 0) return expect(errors).toEqual([again[0]]);
  }
  expect.fail("the first piece was always here before the death");
});

test("it is sent once more, and not twice", async () => {
  const engine = await openIsolated(["Hello."]);
  engine.hooks.on("promptProgress", () => kill(engine));
  const failure = await engine.generate("word ".repeat(400)).then(
    ({ text }) => text,
    (error: unknown) => error,
  );
  if (failure !== "Hello.") expect(failure).toMatchObject({ code: "ENGINE_CRASHED" });
});

const questions: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  tokenize: (engine) => engine.tokenize("Hi"),
  detokenize: (engine) => engine.detokenize([70, 71]),
  renderPrompt: (engine) => engine.models.renderPrompt(undefined, { messages: [{ role: "user", content: "Hi." }] }),
};

test.each(Object.entries(questions))("%s is asked once more", async (_, ask) => {
  const engine = await openIsolated(["Hello."]);
  const expected = await ask(engine);
  kill(engine);
  expect(await ask(engine)).toEqual(expected);
});

test("error hooks hear of a question that is asked once more", async () => {
  const engine = await openIsolated(["Hello."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message, meta }) => {
    if (message.endsWith("is sent once more")) errors.push(`${code} ${meta.modelId ?? ""}`);
  });
  // The process has the question, and does not answer, when it dies.
  for (let tries = 0; tries < 20 && errors.length === 0; tries++) {
    const stopped = processOf(engine);
    process.kill(stopped, "SIGSTOP");
    const count = engine.tokenize("Hi", { signal: new AbortController().signal });
    setTimeout(() => process.kill(stopped, "SIGKILL"), 50 * (tries + 1));
    expect(await count).not.toHaveLength(0);
    await engine.generate("Hi");
  }
  expect(errors[0]).toBe("ENGINE_CRASHED default");
});

test("embed is asked once more", async () => {
  const file = path.join(await tempDir(), "embedder.gguf");
  await writeEmbeddingModel(file, { kind: "encoder" });
  const engine = await openIsolated([], { model: file });
  const expected = await engine.embed("Hi");
  kill(engine);
  expect(await engine.embed("Hi")).toEqual(expected);
});

test("an answer that was written cannot become a text with its call in it", async () => {
  const engine = await openIsolated(calling);
  let left = 1;
  engine.hooks.on("streamToken", ({ text }) => {
    if (text.includes("}") && left-- > 0) kill(engine);
  });
  const run = await engine
    .session({ tools: [look(() => "sky")], temperature: 0 })
    .run("Go")
    .then(
      ({ text }) => text,
      (error: unknown) => error,
    );
  if (run !== "Done.") expect(run).toMatchObject({ code: "ENGINE_CRASHED" });
});

/** Kills the process while it computes nothing, and waits until hooks have received the error. */
async function diedIdle(keepAlive?: number): Promise<{ engine: Engine; unloads: string[] }> {
  const engine = await openIsolated([], {
    models: { default: { path: bundledModel, ...(keepAlive !== undefined && { keepAlive }) } },
  });
  await engine.generate("Hi", { maxTokens: 1 });
  const unloads: string[] = [];
  engine.hooks.on("modelUnload", ({ modelId }) => void unloads.push(modelId));
  kill(engine);
  await expect.poll(() => unloads, { timeout: 60_000 }).toEqual(["default"]);
  return { engine, unloads };
}

test("a model that was lost with an idle process is reported as unloaded once, also if it is then unloaded", async () => {
  const { engine, unloads } = await diedIdle();
  await engine.models.unload("default");
  expect(unloads).toEqual(["default"]);
});

test("so it is if no call uses it until its time is over, and it is reported again after it came back", async () => {
  const { engine, unloads } = await diedIdle(1);
  await expect
    .poll(() => engine.models.list().find(({ modelId }) => modelId === "default")?.state, {
      timeout: 60_000,
    })
    .toBe("cold");
  expect(unloads).toEqual(["default"]);
  await engine.generate("Hi", { maxTokens: 1 });
  await engine.models.unload("default");
  expect(unloads).toEqual(["default", "default"]);
});

test("so it is if the engine is closed", async () => {
  const { engine, unloads } = await diedIdle();
  await engine.close();
  expect(unloads).toEqual(["default"]);
});

test("one that came back is reported again when it is unloaded", async () => {
  const { engine, unloads } = await diedIdle();
  const ready = new Promise((resolve) => engine.hooks.on("modelReady", resolve));
  await engine.generate("Hi", { maxTokens: 1 });
  await ready;
  await engine.models.unload("default");
  expect(unloads).toEqual(["default", "default"]);
});
