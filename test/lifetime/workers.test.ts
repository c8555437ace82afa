import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { jsonLines, node, quiet, script, start } from "../fixtures/child.js";
import { stages } from "../fixtures/stages.mjs";
import { amount, isLong } from "../support/amount.js";
import { scriptModel, tempDir } from "../support/engine.js";

const terminator = fileURLToPath(new URL("../fixtures/terminate-worker.mjs", import.meta.url));
const worker = JSON.stringify(new URL("../fixtures/worker.mjs", import.meta.url).href);
const startingWorker = JSON.stringify(new URL("../fixtures/starting-worker.mjs", import.meta.url).href);
const stageWorker = JSON.stringify(new URL("../fixtures/stage-worker.mjs", import.meta.url).href);
const endless = { text: " la di da", endless: true };

const head = `
  import { once } from "node:events";
  import { Worker } from "node:worker_threads";
  async function inWorker(leave) {
    const worker = new Worker(new URL(${worker}), { execArgv: [], workerData: { model, leave } });
    const [[message], [code]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
    return { ...message, code };
  }
  function atStage(stage) {
    return new Worker(new URL(${stageWorker}), { execArgv: [], workerData: { stage, model } });
  }`;

const answer = { text: "HELLO THERE.!", seen: ["Hello", " there", "."], code: 0 };

test("an engine in a worker generates with its hooks, and the worker ends by itself", async () => {
  const code = `${head}
    for (const leave of ["close", "exit", "nothing"]) console.log(JSON.stringify(await inWorker(leave)));`;
  const { stdout, ...end } = await script(code, await scriptModel(["Hello there."]));
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([answer, answer, answer]);
});

test("two workers and the main thread generate at the same time", async () => {
  const code = `${head}
    const engine = await createEngine({ model, ...onCpu });
    const own = engine.generate("hi");
    for (const result of await Promise.all([inWorker("close"), inWorker("nothing")])) console.log(JSON.stringify(result));
    console.log(JSON.stringify({ text: (await own).text }));`;
  const { stdout, ...end } = await script(code, await scriptModel(["Hello there."]));
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([answer, answer, { text: "Hello there." }]);
});

describe("a worker can be terminated, and the main thread's engine continues", () => {
  test.each(Object.keys(stages))("%s", async (stage) => {
    const { stdout, ...end } = await node([terminator, stage, await scriptModel([endless])]);
    expect(end).toEqual(quiet(0));
    expect(jsonLines(stdout)).toEqual([{ code: 1, unharmed: [true, true], tokens: 410 }]);
  });
});

test("a worker can be terminated at any moment of loading the addon and making an engine", async () => {
  const code = `${head}
    for (let i = 0; i < 60; i += ${isLong ? 1 : 5}) {
      const flag = new Int32Array(new SharedArrayBuffer(4));
      const worker = new Worker(new URL(${startingWorker}), { execArgv: [], workerData: { flag, model } });
      Atomics.wait(flag, 0, 0);
      for (const end = performance.now() + i / 15; performance.now() < end; );
      await worker.terminate();
    }
    console.log(JSON.stringify(await inWorker("close")));`;
  const { stdout, ...end } = await script(code, await scriptModel(["Hello there."]));
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([answer]);
});

test("the process can exit while workers generate", async () => {
  const code = `${head}
    const stages = ["while tokens come", "while an async hook is pending", "inside a hook", "while a prompt is read"];
    const workers = stages.map(atStage);
    await Promise.all(workers.map((worker) => once(worker, "message")));
    process.exit(7);`;
  expect(await script(code, await scriptModel([endless]))).toEqual({ ...quiet(7), stdout: "" });
});

test("an uncaught exception in a worker ends the worker only", async () => {
  const code = `${head}
    const engine = await createEngine({ model, ...onCpu });
    const error = await inWorker("throw").catch((error) => error);
    console.log(error.message, (await engine.generate("hi")).text);`;
  const { stdout, ...end } = await script(code, await scriptModel(["Hello there."]));
  expect(end).toEqual(quiet(0));
  expect(stdout).toBe("not caught Hello there.\n");
});

test("workers one after another, half of them terminated, leave no thread behind", async () => {
  const tasks = "/proc/self/task";
  if (!existsSync(tasks)) return console.log(`not checked: the threads of a process are counted in ${tasks}`);
  const code = `${head}
    import { readdirSync } from "node:fs";
    const threads = () => readdirSync("${tasks}").length;
    async function terminated() {
      const worker = atStage("while an async hook is pending");
      await once(worker, "message");
      await worker.terminate();
    }
    await inWorker("nothing");
    await terminated();
    const before = threads();
    for (let i = 0; i < ${amount(3, 10)}; i++) await Promise.all([inWorker(["close", "nothing"][i % 2]), terminated()]);
    const end = Date.now() + 20_000;
    while (threads() > before && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    console.log(JSON.stringify({ gone: threads() <= before }));`;
  const { stdout, ...end } = await script(code, await scriptModel(["Hello there."]));
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([{ gone: true }]);
});

test.runIf(process.platform === "linux")(
  "the addon has one exit handler, however many environments it has",
  async () => {
    const folder = await tempDir();
    const library = path.join(folder, "libcount.so");
    const source = fileURLToPath(new URL("../fixtures/count-atexit.c", import.meta.url));
    await promisify(execFile)("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
    const program = path.join(folder, "workers.mjs");
    const code = `${head}
    for (let i = 0; i < 4; i++) await inWorker("close");`;
    await writeFile(program, `const model = ${JSON.stringify(await scriptModel(["Hello there."]))};\n${code}`);
    const { stderr } = await start(process.execPath, [program], { LD_PRELOAD: library }).ended;
    expect(stderr).toBe("exit handlers of the addon: 1\n");
  },
);
