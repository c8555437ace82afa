import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonLines, quiet, script } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";

const endless = { text: " la di da", endless: true };
const flags = ["--expose-gc"];

/**
 * Collects while something is under way: `collecting` until it has settled, `gone` until there are no more threads than
 * before. There may be fewer: a thread that was ending when they were counted first.
 */
const head = `
  import { readdirSync } from "node:fs";
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  async function collecting(promise) {
    let over = false;
    const settled = promise.then((value) => ((over = true), value));
    while (!over) { gc(); await tick(); }
    return settled;
  }
  const threads = () => readdirSync("/proc/self/task").length;
  async function gone(before) {
    const end = Date.now() + 20_000;
    while (threads() > before && Date.now() < end) { gc(); await tick(); }
    return threads() <= before;
  }`;

test("a generation without a reference runs to its end, whatever is collected", async () => {
  const code = `${head}
    const engine = await createEngine({ model, ...onCpu });
    let seen = 0;
    engine.hooks.on("streamToken", () => void seen++);
    const ended = new Promise((resolve) => engine.hooks.on("postGenerate", ({ usage }) => resolve(usage.completionTokens)));
    (() => void engine.generate("hi", { maxTokens: 200 }))();
    console.log(JSON.stringify({ tokens: await collecting(ended), seen }));`;
  const { stdout, ...end } = await script(code, await scriptModel([endless]), flags);
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([{ tokens: 200, seen: 200 }]);
});

test("async hooks, an iteration and the trace survive collections in every turn", async () => {
  const code = `${head}
    const engine = await createEngine({ model, ...onCpu });
    const count = { hooks: 0, tokens: 0, decisions: 0 };
    engine.hooks.on("streamToken", async ({ text }) => { await tick(); gc(); count.hooks++; return { text }; });
    (async () => { for await (const { type } of engine.trace()) if (type === "decision") count.decisions++; })();
    await collecting((async () => {
      for await (const { type } of engine.generate("hi", { maxTokens: 50 })) if (type === "token") count.tokens++;
    })());
    await engine.close();
    console.log(JSON.stringify(count));`;
  const { stdout, ...end } = await script(code, await scriptModel([endless]), flags);
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([{ hooks: 50, tokens: 50, decisions: 50 }]);
});

test("a generation whose engine has no reference still gives its result", async () => {
  const code = `${head}
    const generation = await (async () => {
      const engine = await createEngine({ model, ...onCpu });
      engine.hooks.on("streamToken", async () => ({ text: "x" }));
      return [engine.generate("hi", { maxTokens: 200 })];
    })();
    const { text } = await collecting(generation[0]);
    console.log(text.length);`;
  const { stdout, ...end } = await script(code, await scriptModel([endless]), flags);
  expect(end).toEqual(quiet(0));
  expect(stdout).toBe("200\n");
});

test("engines without a reference are collected with their models and threads, hooks or not", async () => {
  if (!existsSync("/proc/self/task")) return console.log("not checked: threads are counted in /proc/self/task");
  const code = `${head}
    const before = (await (await createEngine({ model, ...onCpu })).close(), threads());
    async function leave() {
      const engine = await createEngine({ model, ...onCpu });
      engine.hooks.on("streamToken", () => void engine.memory());
      engine.hooks.on("modelUnload", async () => undefined);
      await engine.generate("hi", { maxTokens: 5 });
    }
    for (let i = 0; i < 10; i++) await leave();
    console.log(JSON.stringify({ gone: await gone(before) }));`;
  const { stdout, ...end } = await script(code, await scriptModel([endless]), flags);
  expect(end).toEqual(quiet(0));
  expect(jsonLines(stdout)).toEqual([{ gone: true }]);
});

test("a process can exit while dropped engines are being freed", async () => {
  const code = `${head}
    async function leave() {
      await createEngine({ model, ...onCpu });
    }
    for (let i = 0; i < 5; i++) await leave();
    gc();
    await tick();
    gc();
    process.exit(7);`;
  expect(await script(code, await scriptModel([endless]), flags)).toEqual({ ...quiet(7), stdout: "" });
});

test("sessions with the tools of sessions before take no memory for their schemas", async () => {
  const code = `
const properties = Object.fromEntries(Array.from({ length: 60 }, (_, i) => ["p" + i, { type: "string", maxLength: i + 1 }]));
const tool = (i) => ({ name: "t", description: "", parameters: { type: "object", properties, title: "" }, run: () => "" });
const engine = await createEngine({ model, ...onCpu });
const open = async (count) => {
  for (let i = 0; i < count; i++) await engine.session({ tools: [tool(i)] }).close();
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 5)).then(() => gc());
  return process.memoryUsage().heapUsed;
};
const before = await open(20);
const after = await open(300);
process.stdout.write(String((after - before) / 300));
await engine.close();`;
  const { stdout, ...ended } = await script(code, await scriptModel(["Fine."]), flags);
  expect(ended).toEqual(quiet(0));
  expect(Number(stdout)).toBeLessThan(5000); // bytes a session; it was some 50,000
});
