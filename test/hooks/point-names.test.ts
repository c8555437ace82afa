// A point may be named as in TypeScript, as in C, and by number, wherever one is named.
import { expect, test } from "vitest";
import { type AnyPoint, defineHooks, findPoint, pointNames, POINTS } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const spellings = ["postGenerate", "POST_GENERATE", "ON_POST_GENERATE", "LH_HOOK_POST_GENERATE", 1] as const;

test.each(pointNames)("%s is found by every name that it has, and by its number", (point) => {
  const { name, number } = POINTS[point];
  const short = name.replace(/^ON_/, "");
  const all = [point, name, short, `ON_${short}`, `LH_HOOK_${name}`, `ENTROPIC_HOOK_${name}`, number, String(number)];
  expect(all.map(findPoint)).toEqual(all.map(() => point));
});

test.each([
  "postgenerate",
  "post_generate",
  "ON_postGenerate",
  "ON_",
  "LH_HOOK_1",
  "LH_HOOK_ON_",
  "",
  "23",
  "-1",
  23,
  1.5,
  NaN,
  null,
  undefined,
  {},
  ["postGenerate"],
])("%j is not a point", (value) => {
  expect(findPoint(value)).toBeUndefined();
});

test.each(spellings)("on(), has() and clear() take %j", async (point) => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on(point as "postGenerate", ({ content }) => ({ content: `${content}!` }));
  expect(engine.hooks.list().map((hook) => hook.point)).toEqual(["postGenerate"]);
  expect(engine.hooks.has(point)).toBe(true);
  expect((await engine.generate("hi")).text).toBe("Hello.!");
  engine.hooks.clear(point);
  expect(engine.hooks.list()).toEqual([]);
});

test("guard() takes them, and says in its own words what is wrong", async () => {
  const { hooks } = await openEngine([], { models: {} });
  hooks.guard("LH_HOOK_PRE_TOOL_CALL", () => undefined);
  hooks.guard(0, () => undefined);
  expect(hooks.list().map(({ point }) => point)).toEqual(["preGenerate", "preToolCall"]);
  expect(() => hooks.guard("POST_GENERATE" as "preGenerate", () => undefined)).toThrow(
    "A guard needs a pre point; postGenerate is a post point",
  );
  expect(() => hooks.on("ON_STREAM_TOKEN", () => undefined, { failClosed: true })).toThrow(
    "streamToken is a post point",
  );
});

test("a set takes them, gives one name, and two handlers for one point are refused", async () => {
  const set = defineHooks("set", {
    STREAM_TOKEN: ({ text }) => ({ text: text.toUpperCase() }),
    1: ({ content }) => ({ content: `${content}!` }),
  });
  expect(Object.keys(set.handlers).toSorted()).toEqual(["postGenerate", "streamToken"]);
  const engine = await openEngine(["Hello."], { hooks: [set] });
  expect((await engine.generate("hi")).text).toBe("HELLO.!");
  expect(() => defineHooks("twice", { preGenerate: () => undefined, PRE_GENERATE: () => undefined })).toThrow(
    '"twice" has two handlers for preGenerate',
  );
});

test("a C hook takes them", async () => {
  const { hooks } = await openEngine([], { models: {} });
  const add = (point: AnyPoint): unknown => hooks.addNative({ library: "nowhere.so", symbol: "f", point });
  for (const point of spellings) expect(() => add(point)).toThrow(/nowhere\.so/);
  expect(() => add("POST_GENERATED" as AnyPoint)).toThrow(
    /no hook point "POST_GENERATED"; did you mean "postGenerate"/,
  );
});

test("a number that is not a point is named, and so is what is neither name nor number", async () => {
  const { hooks } = await openEngine([], { models: {} });
  expect(() => hooks.has(23 as 1)).toThrow("There is no hook point 23; known: preGenerate, ");
  expect(() => hooks.has({} as 1)).toThrow("A hook point must be a name or a number, got an object");
});
