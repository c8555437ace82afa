import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { node, quiet, script } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";

const soak = fileURLToPath(new URL("../../bench/soak.mjs", import.meta.url));

/** Rounds that are compared; an object kept for each of them is a leak. */
const rounds = 200;
const limit = rounds / 2;

/** Hooks that throw, and those that a generation never calls, are warnings. */
const silent = ["--no-warnings"];

const endless = { text: "on and on ", endless: true };

interface Soaked {
  readonly balance: number;
  readonly counts: Readonly<Record<string, number>>;
}

test("after 500 generations with every point hooked no block of the allocator is left", async () => {
  const { stdout, ...end } = await node([...silent, soak, "--generations", "500", "--growth", "10", "--json"]);
  expect(end).toEqual(quiet(0));
  const { balance, counts } = JSON.parse(stdout) as Soaked;
  expect(balance).toBe(0);
  expect(counts).toMatchObject({ preGenerate: 500, streamToken: 2000, postGenerate: 500, modelUnload: 1, error: 500 });
});

/** Does `work` to warm up, then `rounds` times, and gives the number of JavaScript objects that came and stayed. */
async function kept(work: string): Promise<number> {
  const code = `
    import { queryObjects } from "node:v8";
    const engine = await createEngine({ model, ...onCpu });
    engine.hooks.on("streamToken", async ({ text, signal }) => (signal.aborted, { text }));
    const options = { maxTokens: 4 };
    const { signal } = new AbortController();
    async function work() {${work}}
    async function objects(times) {
      for (let i = 0; i < times; i++) await work();
      for (let i = 0; i < 3; i++) await new Promise(setImmediate);
      return queryObjects(Object, { format: "count" });
    }
    const before = await objects(150);
    console.log(await objects(${rounds}) - before);
    await engine.close();`;
  const { stdout, ...end } = await script(code, await scriptModel([endless]), silent);
  expect(end).toEqual(quiet(0));
  return Number(stdout);
}

test("generations leave no objects behind, however they end, nor do hooks and traces that end", async () => {
  const objects = await kept(`
    const hook = engine.hooks.on("preGenerate", () => {});
    const trace = engine.trace()[Symbol.asyncIterator]();
    await engine.generate("hi", { ...options, signal });
    for await (const _ of engine.generate("hi", options));
    for await (const _ of engine.generate("hi", { ...options, maxTokens: 50 })) break;
    const generation = engine.generate("hi", options);
    generation.cancel("enough");
    await generation;
    await engine.generate("hi", { ...options, model: "nowhere" }).catch(() => {});
    await trace.return();
    hook.dispose();`);

  expect(objects).toBeLessThan(limit);
});

test("hooks that throw leave only their last thousand causes", async () => {
  const objects = await kept(`
    globalThis.bad ??= engine.hooks.on("streamToken", () => { throw { text: "x".repeat(1000) }; });
    for (let i = 0; i < 3; i++) await engine.generate("hi", options);`);

  expect(objects).toBeLessThan(limit);
});
