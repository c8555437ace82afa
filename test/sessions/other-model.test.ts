// preGenerate chooses another model for one message of a run.
import { expect, test } from "vitest";
import { openEngine, rejection, scriptModel } from "../support/engine.js";
import { asks, resultTexts, tools } from "../support/sessions.js";

async function open() {
  const small = await scriptModel([asks("Oslo"), "I am small."]);
  const big = await scriptModel({ replies: ["none", "I am big."], contextLength: 4096 });
  return openEngine([], { models: { small, big: { path: big, lazy: true } } });
}

test("a hook chooses the model of one message", async () => {
  const engine = await open();
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ iteration }) => (iteration === 2 ? { model: "big" } : undefined));
  engine.hooks.on("postGenerate", ({ meta }) => void seen.push(meta.modelId));
  const session = engine.session({ tools, model: "small", temperature: 0 });
  const result = await session.run("How is it?");
  expect(resultTexts(result)).toEqual(["Oslo: 4 degrees"]);
  expect(result).toMatchObject({ text: "I am big.", modelId: "small", finishReason: "complete" });
  expect(result.steps.map(({ modelId }) => modelId)).toEqual(["small", "big"]);
  expect(seen).toEqual(["small", "big"]);
});

test("the context is counted anew for the other model", async () => {
  const engine = await open();
  const counted: unknown[] = [];
  engine.hooks.on("preGenerate", () => ({ model: "big" }));
  engine.hooks.on("contextBudget", ({ meta }) => void counted.push(meta.modelId));
  await engine.session({ model: "small", temperature: 0 }).run("How is it?");
  expect(counted).toEqual(["small", "big"]);
});

test("an unknown model fails the run, and the message names model and hook", async () => {
  const engine = await open();
  engine.hooks.on("preGenerate", () => ({ model: "huge" }), { name: "router" });
  const session = engine.session({ model: "small", temperature: 0 });
  expect(await rejection(session.run("How is it?"))).toMatchObject({
    code: "MODEL_NOT_LOADED",
    message: expect.stringMatching(/router.*"huge"/) as string,
  });
  expect(session.history()).toEqual([]);
});
