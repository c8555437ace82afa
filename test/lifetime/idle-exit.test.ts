import { expect, test } from "vitest";
import { quiet, script, startScript } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";

const endless = { text: " la di da", endless: true };

test("a process ends by itself when no engine has work, though none was closed", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    engine.hooks.on("preGenerate", async () => undefined);
    console.log((await engine.generate("hi")).text);
    globalThis.kept = engine;`;
  expect(await script(code, await scriptModel(["Hello."]))).toEqual({ ...quiet(0), stdout: "Hello.\n" });
});

test("a reader of the trace does not keep the process alive", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    (async () => { for await (const event of engine.trace()) console.log(event.type); })();
    await engine.generate("hi");`;
  const { stdout, ...end } = await script(code, await scriptModel(["Hello."]));
  expect(end).toEqual(quiet(0));
  expect(stdout).toContain("lifecycle\n");
});

test("a process stays until a generation that is awaited has ended", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    const { usage } = await engine.generate("hi", { maxTokens: 500 });
    console.log(usage.completionTokens);`;
  expect(await script(code, await scriptModel([endless]))).toEqual({ ...quiet(0), stdout: "500\n" });
});

test("a process stays until a generation that is not awaited has ended", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    engine.hooks.on("postGenerate", ({ usage }) => console.log(usage.completionTokens));
    engine.generate("hi", { maxTokens: 500 });`;
  expect(await script(code, await scriptModel([endless]))).toEqual({ ...quiet(0), stdout: "500\n" });
});

test("a process stays until an observer has seen the last token", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    let seen = 0;
    engine.hooks.on("streamToken", () => void seen++, { observe: true });
    engine.generate("hi", { maxTokens: 500 });
    process.on("exit", () => console.log(seen));`;
  expect(await script(code, await scriptModel([endless]))).toEqual({ ...quiet(0), stdout: "500\n" });
});

test("a process stays until a model that is not awaited is loaded, and until close() has ended", async () => {
  const code = `
    const engine = await createEngine({ models: {} });
    engine.hooks.on("modelReady", ({ modelId }) => { console.log("ready", modelId); engine.close(); });
    engine.hooks.on("modelUnload", ({ modelId }) => console.log("unload", modelId));
    engine.models.load("m", { path: model, threads: 1 }).catch(() => {});`;
  const stdout = "ready m\nunload m\n";
  expect(await script(code, await scriptModel(["Hello."]))).toEqual({ ...quiet(0), stdout });
});

test("SIGTERM can be handled by closing the engine, and the process then ends by itself", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    process.on("SIGTERM", () => engine.close().then(() => console.log("closed")));
    let printed = false;
    const generation = engine.generate("hi");
    for await (const { type } of generation) {
      if (type === "token" && !printed) { printed = true; console.log("now"); }
    }
    const { finishReason } = await generation;
    console.log(finishReason);
    process.removeAllListeners("SIGTERM");`;
  const child = startScript(code, await scriptModel([endless]));
  await child.said("now");
  child.process.kill("SIGTERM");
  const { stdout, ...end } = await child.ended;
  expect(end).toEqual(quiet(0));
  expect(stdout.split("\n").sort()).toEqual(["", "cancelled", "closed", "now"]);
});

test("an engine can be made, used and left in a listener of beforeExit", async () => {
  const code = `
    process.once("beforeExit", async () => {
      const engine = await createEngine({ model, ...onCpu });
      console.log((await engine.generate("hi")).text);
    });`;
  expect(await script(code, await scriptModel(["Hello."]))).toEqual({ ...quiet(0), stdout: "Hello.\n" });
});

test("a listener of exit finds its engine closed, not crashed", async () => {
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    process.on("exit", () => {
      for (const call of [() => engine.memory(), () => engine.systemInfo(), () => engine.models.list()]) {
        try { call(); console.log("answered"); } catch (error) { console.log(error.code); }
      }
    });
    process.exit(0);`;
  expect(await script(code, await scriptModel(["Hello."]))).toEqual({ ...quiet(0), stdout: "CLOSED\n".repeat(3) });
});
