// Results with more than a text: errors without an exception, and parts for the caller.
import { expect, test } from "vitest";
import { defineHooks, type PostToolCallEvent, type RunEvent, type RunResult, tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, runOnce, resultTexts } from "../../support/sessions.js";

const parts = [
  { type: "image", mimeType: "image/png", data: "aGk=" },
  { type: "text", text: "a\0b", some_key: [null, 1.5, true] },
];
const shown = (given: unknown) => tool({ name: "shot", run: () => given });

async function resultOf(given: unknown, options: object = {}): Promise<RunResult> {
  const engine = await openEngine([calls("shot"), "Well."]);
  return runOnce(engine, { tools: [shown(given)], ...options });
}

test("a result says that the call failed, in its own words", async () => {
  const result = await resultOf({ text: "No such file.", isError: true });
  expect(resultTexts(result)).toEqual(["No such file."]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "error", isError: true, result: "No such file." }]);
  expect(result.toolCalls[0]).not.toHaveProperty("cause");
});

test.each([
  ["no error", { text: "Fine.", isError: false }, "Fine.", "ok"],
  ["a text alone", { text: "Fine." }, "Fine.", "ok"],
  ["an empty text", { text: "", parts }, "", "ok_empty"],
  ["more keys", { text: "a", lang: "en" }, '{"text":"a","lang":"en"}', "ok"],
  ["a text that is none", { text: 1, isError: true }, '{"text":1,"isError":true}', "ok"],
] as const)("a result with %s", async (_, given, text, resultKind) => {
  const result = await resultOf(given);
  expect(resultTexts(result)).toEqual([text]);
  expect(result.toolCalls).toMatchObject([{ resultKind, isError: false }]);
});

test.each([
  ["isError", { text: "a", isError: "yes" }, /^error: isError of the result must be/],
  ["parts that are no list", { text: "a", parts: {} }, /^error: parts of the result must be an array/],
  ["a part that JSON does not have", { text: "a", parts: [{ a: () => 1 }] }, /^error: parts of the result/],
] as const)("a wrong %s fails the call", async (_, given, text) => {
  const result = await resultOf(given);
  expect(resultTexts(result)).toEqual([expect.stringMatching(text)]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "error", isError: true }]);
  expect(result.toolCalls[0]?.cause).toBeInstanceOf(TypeError);
});

test("parts reach the caller, the reader and the hooks, and not the model", async () => {
  const engine = await openEngine([calls("shot"), "Well."]);
  const seen: PostToolCallEvent[] = [];
  engine.hooks.on("postToolCall", (event) => void seen.push(event));
  const session = engine.session({ tools: [shown({ text: "A picture.", parts })] });
  const run = session.run("Look");
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const { toolCalls, messages } = await run;
  expect(toolCalls).toMatchObject([{ result: "A picture.", parts }]);
  expect(seen[0]?.parts).toEqual(parts);
  expect(events.find(({ type }) => type === "toolResult")).toMatchObject({ record: { parts } });
  expect(JSON.stringify([messages, session.history()])).not.toContain("aGk=");
});

test("an error has parts, too; where there are none, nothing says so", async () => {
  const failed = await resultOf({ text: "No.", isError: true, parts });
  expect(failed.toolCalls).toMatchObject([{ isError: true, parts }]);
  const plain = await resultOf({ text: "Yes.", parts: [] });
  expect(plain.toolCalls[0]).not.toHaveProperty("parts");
});

test.each(["postToolCall", "toolResultPersist"] as const)(
  "a hook at %s that replaces the result drops the parts",
  async (point) => {
    const engine = await openEngine([calls("shot"), "Well."]);
    const seen: (readonly unknown[] | undefined)[] = [];
    const session = engine.session({ tools: [shown({ text: "secret", parts: [{ text: "secret" }] })] });
    const masks = defineHooks("mask", { [point]: () => ({ result: "***" }) });
    const later = defineHooks("later", { postToolCall: (event) => void seen.push(event.parts) });
    const first = defineHooks(
      "first",
      { postToolCall: (event) => void seen.push(event.parts) },
      { originalContext: true },
    );
    const run = session.run("Look", { hooks: [masks, later, first] });
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const result = await run;
    expect(JSON.stringify([result.toolCalls, events])).not.toContain("secret");
    // A later hook is shown what is left; one that asks for the original is shown that.
    expect(seen).toEqual([point === "postToolCall" ? undefined : [{ text: "secret" }], [{ text: "secret" }]]);
  },
);

test("an answer that keeps the text keeps the parts", async () => {
  const engine = await openEngine([calls("shot"), "Well."]);
  const result = await (async () => {
    engine.hooks.on("postToolCall", ({ result: same }) => ({ result: same, isError: true }));
    return runOnce(engine, { tools: [shown({ text: "A picture.", parts })] });
  })();
  expect(result.toolCalls).toMatchObject([{ result: "A picture.", isError: true, parts }]);
});

test("parts above the limit fail the call", async () => {
  const errors: string[] = [];
  const engine = await openEngine([calls("shot"), "Well."]);
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const fits = JSON.stringify(parts).length;
  const limited = (maxPartsBytes: number) =>
    runOnce(engine, { tools: [shown({ text: "A picture.", parts })], maxPartsBytes });
  expect((await limited(fits)).toolCalls).toMatchObject([{ resultKind: "ok", parts }]);
  const result = await limited(fits - 1);
  expect(resultTexts(result)).toEqual([
    `error: the parts of the result have ${fits} bytes, and may have ${fits - 1} (maxPartsBytes)`,
  ]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "error", isError: true }]);
  expect(result.toolCalls[0]).not.toHaveProperty("parts");
  expect(errors).toEqual(["TOOL_FAILED"]);
});

test("the directives of a result that says it failed are refused", async () => {
  const errors: string[] = [];
  const engine = await openEngine([calls("shot"), "Well."]);
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const shot = tool({
    name: "shot",
    trusted: true,
    run: (_, { directive }) => {
      directive("stop_processing", { reason: "enough" });
      return { text: "No.", isError: true };
    },
  });
  const result = await runOnce(engine, { tools: [shot] });
  expect(result.finishReason).toBe("complete");
  expect(errors).toEqual(["INVALID_DIRECTIVE"]);
});
