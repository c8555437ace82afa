import { expect, test } from "vitest";
import { z } from "zod";
import { openEngine } from "../support/engine.js";

const look = {
  name: "look",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  run: ({ n }: { n: number }) => `found ${n}`,
};
const looks = (...numbers: number[]) => ({ toolCalls: numbers.map((n) => ({ name: "look", args: { n } })) });

test("a result has a step for each model call, with its cost and its tool calls", async () => {
  const engine = await openEngine([looks(1, 2), looks(3), "Done."]);
  const result = await engine.session({ tools: [look] }).run("Go");
  const ids = result.toolCalls.map(({ id }) => id);
  expect(
    result.steps.map(({ iteration, finishReason, toolCallIds }) => [iteration, finishReason, toolCallIds]),
  ).toEqual([
    [1, "stop", ids.slice(0, 2)],
    [2, "stop", ids.slice(2)],
    [3, "stop", []],
  ]);
  const sum = result.steps.reduce((tokens, { usage }) => tokens + usage.completionTokens, 0);
  expect(sum).toBe(result.usage.completionTokens);
});

test("a step that is cut off says so", async () => {
  const engine = await openEngine(["A long answer that is cut off."]);
  const { steps } = await engine.session().run("Go", { maxTokens: 3 });
  expect(steps).toMatchObject([{ iteration: 1, finishReason: "length", usage: { completionTokens: 3 } }]);
});

test("with onLimit answer a run at maxIterations ends with an answer", async () => {
  const engine = await openEngine([looks(1), looks(2), "What I have so far."]);
  const stopped = await engine.session({ tools: [look], maxIterations: 2 }).run("Go");
  expect([stopped.finishReason, stopped.limit, stopped.text]).toEqual(["limit", "maxIterations", ""]);
  const fresh = await openEngine([looks(1), looks(2), "What I have so far."]);
  const session = fresh.session({ tools: [look], maxIterations: 2, onLimit: "answer" });
  const result = await session.run("Go");
  expect([result.finishReason, result.limit, result.iterations]).toEqual(["limit", "maxIterations", 3]);
  expect([result.text, result.messages.at(-1)?.content]).toEqual(["What I have so far.", "What I have so far."]);
  expect(result.toolCalls).toHaveLength(2);
});

test("the closing call cannot call a tool, and the prompt stays as it was", async () => {
  const engine = await openEngine([looks(1)], { parallel: 1 });
  const session = engine.session({ tools: [look], maxIterations: 1, onLimit: "answer" });
  const { toolCalls, steps } = await session.run("Go", { maxTokens: 60 });
  expect(toolCalls).toHaveLength(1);
  expect(steps[1]?.usage.cachedTokens).toBeGreaterThan(steps[0]?.usage.promptTokens ?? Infinity);
});

test("with onLimit answer a call too many is the last", async () => {
  const engine = await openEngine([looks(1), looks(2), looks(3), "Enough."]);
  const session = engine.session({ tools: [look], maxToolCalls: 2, onLimit: "answer" });
  const { finishReason, limit, text, toolCalls } = await session.run("Go");
  expect([finishReason, limit, text]).toEqual(["limit", "maxToolCalls", "Enough."]);
  expect(toolCalls.map(({ resultKind }) => resultKind)).toEqual(["ok", "ok", "rejected_limit"]);
});

test("a run that needs no more calls than it may is complete", async () => {
  const engine = await openEngine([looks(1), "Done."]);
  const { finishReason } = await engine.session({ tools: [look], maxToolCalls: 1, onLimit: "answer" }).run("Go");
  expect(finishReason).toBe("complete");
});

test("a closing answer that is sent back is asked for again", async () => {
  const engine = await openEngine([looks(1), '{"found":9}', '{"found":1}']);
  const session = engine.session({ tools: [look], maxIterations: 1, onLimit: "answer" });
  const result = await session.run("Go", { answer: z.object({ found: z.number().max(3) }) });
  expect([result.answer, result.limit, result.iterations]).toEqual([{ found: 1 }, "maxIterations", 3]);
});

test("the closing answer follows the run's schema", async () => {
  const answer = JSON.stringify({ found: 1 });
  const engine = await openEngine([looks(1), answer]);
  const session = engine.session({ tools: [look], maxIterations: 1, onLimit: "answer" });
  const result = await session.run("Go", { answer: z.object({ found: z.number() }) });
  expect([result.answer, result.limit]).toEqual([{ found: 1 }, "maxIterations"]);
});
