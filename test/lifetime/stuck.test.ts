// A thread that does not come back from llama.cpp holds up nothing else: not close(), not the end of the process or of
// a worker, not other models, not the abort of a call. The thread is stuck by a preloaded library (fixtures/stick.c).
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Ended, jsonLines, startScript } from "../fixtures/child.js";
import { stickLibrary, whyNotStuck as why } from "../fixtures/stick.js";
import { scriptModel, tempDir } from "../support/engine.js";

const endless = { text: " la di da", endless: true };
/** One line for each thread of JavaScript that ends. */
const left = /^(llama-hooks error: the process or worker ends although a thread has not come back[^\n]*\n){1,2}$/;

/** Any of the ways to stick a call of a model; the prompt is long enough for each. */
const decodes = { STICK_DECODE: "300" };
const tokenizes = { STICK_TOKENIZE: "3000" };

const head = `
  import { once } from "node:events";
  import { writeFileSync } from "node:fs";
  const long = "long ".repeat(700);
  const options = { ...onCpu, closeTimeoutMs: 400 };
  const codeOf = (work) => work.then(() => "done", ({ code, message }) => code ?? message);
  const finish = (work) => work.then(({ finishReason }) => finishReason, ({ code }) => code);
  const say = (words) => process.stdout.write(JSON.stringify(words) + "\\n");
  // Resolves when the library has said that a call is stuck: it says so on stdout, which the parent tells by a signal.
  const stuck = () => new Promise((resolve) => process.once("SIGUSR2", resolve));
  const hold = setInterval(() => {}, 1000);
  const open = async (more) => createEngine({ model, ...options, ...more });
`;

describe.skipIf(why)(`a thread that is stuck in llama.cpp${why ? ` (skipped: ${why})` : ""}`, () => {
  let library = "";
  beforeAll(async () => {
    const made = await stickLibrary();
    library = made.library;
    return made.remove;
  });

  /** Runs the code; `await stuck()` in it resolves when a call is stuck. */
  async function run(code: string, env: NodeJS.ProcessEnv): Promise<Ended> {
    const child = startScript(head + code, await scriptModel([endless]), [], { LD_PRELOAD: library, ...env });
    await child.said("stuck\n");
    child.process.kill("SIGUSR2");
    return child.ended;
  }

  const said = ({ stdout }: Ended): unknown[] => jsonLines(stdout.replaceAll("stuck\n", ""));

  test.each([
    ["a step", decodes],
    ["the tokenizer", tokenizes],
  ])("close() rejects with STUCK, and the process ends by itself: %s", async (_, env) => {
    const ended = await run(
      `const engine = await open();
       const generation = finish(engine.generate(long));
       await stuck();
       say([await codeOf(engine.close()), await codeOf(engine.generate("hi"))]);
       const end = await generation;
       clearInterval(hold);
       process.on("exit", () => say([end]));`,
      env,
    );
    expect(said(ended)).toEqual([["STUCK", "CLOSED"], ["STUCK"]]);
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: expect.stringMatching(left) as string });
  });

  test.each([
    ["process.exit()", "process.exit(7);", 7],
    ["an uncaught exception", `setImmediate(() => { throw new Error("not caught"); });`, 1],
  ])("%s ends the process with its code", async (_, ending, code) => {
    for (const env of [decodes, tokenizes]) {
      const ended = await run(
        `const engine = await open();
         void finish(engine.generate(long));
         await stuck();
         process.on("exit", (code) => say({ code }));
         ${ending}`,
        env,
      );
      expect(said(ended)).toEqual([{ code }]);
      expect(ended).toMatchObject({ code, signal: null });
      expect(ended.stderr.split("\n").some((line) => left.test(`${line}\n`))).toBe(true);
    }
  });

  test("a load that is stuck: close() rejects with STUCK, and so does the load", async () => {
    const ended = await run(
      `const engine = await createEngine({ models: {}, ...options });
       const load = codeOf(engine.models.load("m", { path: model, threads: 1 }));
       await stuck();
       say([await codeOf(engine.close()), await load]);
       process.exit(3);`,
      { STICK_LOAD: "script.gguf" },
    );
    expect(said(ended)).toEqual([["STUCK", "STUCK"]]);
    expect(ended).toMatchObject({ code: 3, signal: null });
  });

  test("an abort ends the call that is stuck and those that wait behind it, and other models go on", async () => {
    const ended = await run(
      `const engine = await createEngine({ models: { a: model, b: model }, ...options, parallel: 1 });
       const abort = new AbortController();
       const call = (text) => finish(engine.generate(text, { model: "a", signal: abort.signal }));
       const calls = [call(long)];
       await stuck();
       calls.push(call("behind it"), call("and behind that"));
       abort.abort();
       say(await Promise.all(calls));
       const other = await engine.generate("hi", { model: "b", maxTokens: 5 });
       const second = await createEngine({ model, ...options });
       say([other.usage.completionTokens, (await second.generate("hi", { maxTokens: 5 })).usage.completionTokens]);
       say([await codeOf(engine.models.unload("a")), engine.models.list().map(({ modelId }) => modelId)]);
       say([await codeOf(second.close()), await codeOf(engine.close()), await codeOf(engine.close())]);
       process.exit(0);`,
      decodes,
    );
    expect(said(ended)).toEqual([
      ["cancelled", "cancelled", "cancelled"],
      [5, 5],
      ["STUCK", ["a", "b"]],
      ["done", "STUCK", "STUCK"],
    ]);
    expect(ended).toMatchObject({ code: 0, signal: null });
  });

  test("what was left behind is freed when the thread comes back, and the process ends quietly", async () => {
    const until = path.join(await tempDir(), "until");
    const ended = await run(
      `const engine = await open();
       const unloaded = [];
       engine.hooks.on("modelUnload", ({ modelId }) => void unloaded.push(modelId));
       const generation = finish(engine.generate(long));
       await stuck();
       const first = await codeOf(engine.close());
       writeFileSync(process.env.STICK_UNTIL, "");
       let second = "STUCK";
       while (second === "STUCK") second = await codeOf(engine.close());
       say([first, second, await generation, unloaded]);
       clearInterval(hold);`,
      { ...decodes, STICK_UNTIL: until },
    );
    expect(said(ended)).toEqual([["STUCK", "done", "STUCK", ["default"]]]);
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  });

  const inWorker = (ending: string): string => `
    import { Worker } from "node:worker_threads";
    const engine = await open();
    const code = ${JSON.stringify(`
      const { parentPort, workerData } = await import("node:worker_threads");
      const { createEngine } = await import(workerData.library);
      const engine = await createEngine(workerData.options);
      void engine.generate(workerData.long).then(() => {}, () => {});
      parentPort.on("message", () => process.exit(5));`)};
    const worker = new Worker(new URL("data:text/javascript," + encodeURIComponent(code)), {
      workerData: { library: import.meta.resolve("llama-hooks"), options: { model, ...options }, long } });
    await stuck();
    ${ending}
    say((await engine.generate("hi", { maxTokens: 5 })).usage.completionTokens);
    await engine.close();
    clearInterval(hold);`;

  test.each([
    ["worker.terminate()", "say(await worker.terminate());", 1],
    ["process.exit() in a worker", `worker.postMessage(""); say((await once(worker, "exit"))[0]);`, 5],
  ])("%s ends the worker, and the main thread continues and ends", async (_, ending, code) => {
    for (const env of [decodes, tokenizes]) {
      const ended = await run(inWorker(ending), env);
      expect(said(ended)).toEqual([code, 5]);
      expect(ended).toMatchObject({ code: 0, signal: null, stderr: expect.stringMatching(left) as string });
    }
  });
});
