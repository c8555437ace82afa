// Schemas and arguments from outside that would keep the event loop busy for minutes, or for longer than anyone waits.
import { expect, test } from "vitest";
import { type JsonSchema, tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { runOnce } from "../../support/sessions.js";

const text = (pattern: string, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties: { text: { type: "string", pattern, ...more } },
});
const long = "a".repeat(100_000);

/** Calls a tool `count` times with arguments that a hook writes, and returns what the model receives, and the times. */
async function check(parameters: JsonSchema, args: object, count = 1) {
  const engine = await openEngine(
    [{ toolCalls: Array.from({ length: count }, () => ({ name: "odd", args: {} })) }, "Well."],
    {
      contextSize: 32_768,
      parallel: 1,
    },
  );
  let ran = 0;
  engine.hooks.on("preToolCall", () => ({ args: { ...args } }));
  const result = await runOnce(engine, {
    maxIterations: 1, // a prompt with 100 KB would take minutes
    tools: [tool({ name: "odd", parameters, run: () => String(++ran) })],
  });
  return {
    texts: result.toolCalls.map((call) => call.result),
    kinds: result.toolCalls.map(({ resultKind }) => resultKind),
    ran,
  };
}

/** The longest time for which nothing else could run. */
async function longestStop(work: Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work.finally(() => clearInterval(timer));
  return Math.max(longest, performance.now() - last);
}

test.each<[string, JsonSchema, object]>([
  ["(a+)+$", text("(a+)+$"), { text: `${long}!` }],
  ["a pattern without a grammar for it", text("^(?=(a+))(?:\\1|a)*(a|a)*$"), { text: `${"a".repeat(60)}!` }],
  ["two wildcards", text("(.*)*(.*)*x"), { text: long }],
  [
    "a name's pattern",
    { type: "object", patternProperties: { "^(a|aa)+$": { type: "number" } }, additionalProperties: true },
    { [`${"a".repeat(60)}!`]: 1 },
  ],
  [
    "alternatives that repeat each other",
    {
      type: "object",
      properties: { tree: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          anyOf: [
            { type: "object", properties: { n: { $ref: "#/$defs/node" } } },
            { type: "object", properties: { n: { $ref: "#/$defs/node" } } },
          ],
        },
      },
    },
    { tree: JSON.parse(`${'{"n":'.repeat(40)}0${"}".repeat(40)}`) as object },
  ],
])(
  "%s: the call is refused within a second, and the tool does not run",
  async (_, parameters, args) => {
    const checked = check(parameters, args);
    expect(await longestStop(checked)).toBeLessThan(1500);
    const result = await checked;
    expect([result.kinds, result.ran]).toEqual([["rejected_schema"], 0]);
    expect(result.texts[0]).toMatch(/the arguments cannot be checked: it took longer than 500 ms/);
  },
  20_000,
);

test("after a check that took too long, the next ones of the tool get less time", async () => {
  const checked = check(text("(a+)+$"), { text: `${"a".repeat(40)}!` }, 8);
  const before = performance.now();
  expect((await checked).texts.map((one) => /longer than (\d+) ms/.exec(one)?.[1])).toEqual([
    "500",
    ...Array<string>(7).fill("50"),
  ]);
  expect(performance.now() - before).toBeLessThan(10_000);
}, 20_000);

test("patterns keep their whole meaning: look-around, references, names, Unicode", async () => {
  const parameters = text("^(?<q>['\"])(?!no)\\p{L}+(?<=s)\\k<q>$");
  expect((await check(parameters, { text: "'ües'" })).ran).toBe(1);
  expect((await check(parameters, { text: "'nos'" })).texts[0]).toMatch(/\/text must match pattern/);
  expect((await check(text("^a*$"), { text: long })).ran).toBe(1);
});
