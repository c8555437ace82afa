// The error of an async call shows where the call was made, however the caller waits for it.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import {
  cachedModels,
  createEngine,
  downloadModel,
  type Engine,
  LlamaHooksError,
  readRecording,
  recordRun,
  removeCachedModel,
  tool,
} from "../../src/index.js";
import { inspectFiles } from "../../src/inspector/index.js";
import { replayRun, writeScriptModel } from "../../src/testing/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { MemoryStore } from "../support/memory-store.js";
import { calls } from "../support/sessions.js";

const thisFile = path.basename(fileURLToPath(import.meta.url));

/** The error of a call that is awaited somewhere else, so that only the call itself knows where it was made. */
function failed(call: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    call.then(() => reject(new Error("it did not fail")), resolve);
  });
}

/** Expects an error of the package whose nearest frame outside the package is in this file, in the function `site`. */
function expectSite(error: unknown, site: string): void {
  expect(error).toBeInstanceOf(LlamaHooksError);
  const { stack = "", name, message } = error as LlamaHooksError;
  expect(stack.startsWith(`${name}: ${message}`)).toBe(true);
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const nearest = frames.find((line) => !line.includes(`${path.sep}src${path.sep}`));
  expect(nearest).toContain(thisFile);
  expect(nearest).toContain(site);
}

const nowhere = { path: "/nowhere/model.gguf" };

/** Calls that fail; a function of the same name makes each call. */
const failing: Record<string, (engine: Engine) => PromiseLike<unknown>> = {
  generate: function generate(engine) {
    return engine.generate("hi", { grammar: "root ::= (" });
  },
  infill: function infill(engine) {
    return engine.infill({ prefix: "a" });
  },
  embed: function embed(engine) {
    return engine.embed("hi", { model: "none" });
  },
  rerank: function rerank(engine) {
    return engine.rerank("hi", ["one"]);
  },
  tokenize: function tokenize(engine) {
    return engine.tokenize("hi", { model: "none" });
  },
  "tokenize a long text": function long(engine) {
    return engine.tokenize("hi ".repeat(5000), { model: "none" });
  },
  detokenize: function detokenize(engine) {
    return engine.detokenize([1], { model: "none" });
  },
  "models.load": function load(engine) {
    return engine.models.load("other", nowhere);
  },
  "models.load of a name": function pull(engine) {
    return engine.models.load("other", { path: "hf:absent/nothing@@" });
  },
  "models.estimate": function estimate(engine) {
    return engine.models.estimate(nowhere);
  },
  "models.probe": function probe(engine) {
    return engine.models.probe(nowhere);
  },
  "models.unload": function unload(engine) {
    return engine.models.unload("none");
  },
  "models.renderPrompt": function render(engine) {
    return engine.models.renderPrompt("none", { messages: [{ role: "user", content: "hi" }] });
  },
  "adapters.load": function adapter(engine) {
    return engine.adapters.load("style", nowhere);
  },
  "adapters.unload": function unloadAdapter(engine) {
    return engine.adapters.unload("style");
  },
  "adapters.swap": function swap(engine) {
    return engine.adapters.swap(engine.session(), [{ id: "none" }]);
  },
  "session.run": function run(engine) {
    const session = engine.session();
    void session.run("first").then(() => session.close());
    return session.run("second");
  },
  "session.run that a hook breaks": function broken(engine) {
    return engine.session({ model: "none" }).run("hi");
  },
  "session.resume": function resume(engine) {
    return engine.session().resume({ nothing: "allow" });
  },
  "session.compact": function compact(engine) {
    return engine.session({ model: "none", history: [{ role: "user", content: "hi" }] }).compact();
  },
  "session.save": function save(engine) {
    return engine.session().save("/nowhere/at/all/session.json");
  },
  "sessions.resume": function resumeStored(engine) {
    return engine.sessions.resume("absent");
  },
  "sessions.open": function openStored(engine) {
    return engine.sessions.open({ id: "../up" });
  },
  "sessions.delete": function deleteStored(engine) {
    return engine.sessions.delete("../up");
  },
  createEngine: function create() {
    return createEngine({ gpu: false, model: nowhere.path });
  },
  downloadModel: function download() {
    return downloadModel("not a model");
  },
  removeCachedModel: function remove() {
    return removeCachedModel("hf:absent/nothing", { cacheFolder: "/nowhere" });
  },
  readRecording: function read() {
    return readRecording("/nowhere/recording.json");
  },
  "recording.save": function saveRecording(engine) {
    return recordRun(engine.session()).save("/nowhere/at/all/recording.json");
  },
  replayRun: function replay() {
    return replayRun("/nowhere/recording.json");
  },
  inspectFiles: function inspected() {
    return inspectFiles(["/nowhere/trace.json"]);
  },
};

for (const [name, call] of Object.entries(failing)) {
  test(`an error of ${name} has the place of the call in its stack`, async () => {
    const engine = await openEngine(["Hello."], { sessionStore: new MemoryStore() });
    expectSite(await failed(call(engine)), call.name);
  });
}

test("the lists of stored sessions and of cached models, and a store that fails later, do, too", async () => {
  const store = new MemoryStore();
  const engine = await openEngine(["Hello."], { sessionStore: store });
  store.list = () => Promise.reject(new Error("the disk is full"));
  const list = (): PromiseLike<unknown> => engine.sessions.list();
  expectSite(await failed(list()), "list");
  const session = await engine.sessions.open();
  await session.run("hi");
  store.before = () => Promise.reject(new Error("the disk is full"));
  const save = (): PromiseLike<unknown> => session.save();
  expectSite(await failed(save()), "save");
  await expect(cachedModels({ cacheFolder: await tempDir() })).resolves.toEqual([]);
});

test("so does an error that an iteration throws, and one of a call that a tool or a hook makes", async () => {
  const engine = await openEngine([calls("asks"), "Done."], { parallel: 2 });
  const iterate = async (): Promise<unknown> => {
    try {
      for await (const _ of engine.generate("hi", { grammar: "root ::= (" }));
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expectSite(await iterate(), "iterate");
  const errors: unknown[] = [];
  const asks = tool({
    name: "asks",
    run: async function insideTool() {
      errors.push(await failed(engine.embed("hi", { model: "none" })));
    },
  });
  engine.hooks.on("loopStart", async function insideHook() {
    errors.push(await failed(engine.generate("hi", { model: "none" })));
  });
  await engine.session({ tools: [asks], temperature: 0 }).run("hi");
  expectSite(errors[0], "insideHook");
  expectSite(errors[1], "insideTool");
});

test("what is not an error of the package is passed on as it was thrown", async () => {
  const engine = await openEngine([], { models: {} });
  const thrown = new Error("mine");
  const { stack } = thrown;
  const folder = await tempDir();
  await writeScriptModel(path.join(folder, "a.gguf"), { replies: ["Hi."] });
  const onProgress = (): void => {
    throw thrown;
  };
  const error = await failed(engine.models.load("a", { path: path.join(folder, "a.gguf") }, { onProgress }));
  expect(error).toBe(thrown);
  expect((error as Error).stack).toBe(stack);
});

test("an error of the package that the program throws keeps the line that threw it, and has the first caller's", async () => {
  const engine = await openEngine([], { models: {} });
  const folder = await tempDir();
  await writeScriptModel(path.join(folder, "a.gguf"), { replies: ["Hi."] });
  const file = { path: path.join(folder, "a.gguf") };
  const shared = (function thrower() {
    return new LlamaHooksError("NOT_FOUND", "mine");
  })();
  const onProgress = (): void => {
    throw shared;
  };
  const first = (): PromiseLike<unknown> => engine.models.load("a", file, { onProgress });
  const second = (): PromiseLike<unknown> => engine.models.load("b", file, { onProgress });
  expect(await failed(first())).toBe(shared);
  expect(await failed(second())).toBe(shared);
  const frames = shared.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  const own = frames.filter((line) => line.includes(thisFile) || line.includes("<anonymous>"));
  expect(own).toEqual([
    expect.stringMatching(/thrower/),
    expect.stringContaining(thisFile), // where thrower() was called
    "    at async load (<anonymous>)",
    expect.stringMatching(/first/),
    expect.stringContaining(thisFile), // where first() was called
  ]);
});

test("an error that is frozen is thrown as it is", async () => {
  const engine = await openEngine([], { models: {} });
  const folder = await tempDir();
  await writeScriptModel(path.join(folder, "a.gguf"), { replies: ["Hi."] });
  const frozen = Object.freeze(new LlamaHooksError("NOT_FOUND", "mine"));
  const onProgress = (): void => {
    throw frozen;
  };
  const error = await failed(engine.models.load("a", { path: path.join(folder, "a.gguf") }, { onProgress }));
  expect(error).toBe(frozen);
});

test("nothing breaks where stacks are not kept, or are no text", async () => {
  const engine = await openEngine([], { models: {} });
  const { stackTraceLimit, prepareStackTrace } = Error;
  onTestFinished(() => void Object.assign(Error, { stackTraceLimit, prepareStackTrace }));
  Error.stackTraceLimit = 0;
  expect(await failed(engine.models.load("a", nowhere))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
  Error.stackTraceLimit = 10;
  Error.prepareStackTrace = () => ({ frames: "of my own" });
  expect(await failed(engine.models.load("a", nowhere))).toMatchObject({ code: "MODEL_FILE_NOT_FOUND" });
});
