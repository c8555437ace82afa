// An answer that equals what the hook was shown is a no-op.
import { expect, test } from "vitest";
import { tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";

const echo = `${prelude}
HOOK(hook) {
  UNUSED;
  *modified = lh_strdup(context);
  return 0;
}
`;

test("a C guard that hands its context back vetoes nothing", async () => {
  const engine = await openEngine(["Hello."]);
  const library = await compileLibrary(echo);
  engine.hooks.addNative({ library, symbol: "hook", point: "preGenerate", guard: true, name: "echo" });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  expect(decisions).toMatchObject([{ action: "proceed", hooks: [{ name: "echo", outcome: "proceed", fields: [] }] }]);
});

test("a hook that answers with its whole event undoes no other hook's change, and has changed nothing", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, maxTokens: 1 } }), { name: "short" });
  engine.hooks.on("preGenerate", (event) => ({ ...event }), { name: "original", originalContext: true });
  engine.hooks.on("preGenerate", (event) => ({ ...event }), { name: "chained" });
  const { finishReason, decisions } = await engine.generate("hi");
  expect(finishReason).toBe("length");
  expect(decisions[0]?.hooks.map(({ name, outcome, fields }) => [name, outcome, fields])).toEqual([
    ["short", "modified", ["params"]],
    ["original", "proceed", []],
    ["chained", "proceed", []],
  ]);
  expect(engine.hooks.stats().map(({ modifications }) => modifications)).toEqual([1, 0, 0]);
});

test("a hook that hands back arguments of any name has changed nothing, and nothing of them is lost", async () => {
  const args = JSON.parse('{"city":"Oslo","__proto__":"deep","constructor":{"__proto__":{"a":1}}}') as object;
  const engine = await openEngine([{ toolCalls: [{ name: "echo", args: args as Record<string, unknown> }] }, "Done."]);
  const echoes = tool({
    name: "echo",
    parameters: { type: "object", additionalProperties: true },
    run: (given) => JSON.stringify(given),
  });
  engine.hooks.on("preToolCall", (event) => event, { name: "same" });
  engine.hooks.on("preToolCall", ({ args: given }) => ({ args: { ...given, city: "Rome" } }), { name: "other" });
  const { toolCalls, decisions } = await engine.session({ tools: [echoes] }).run("hi");
  expect(toolCalls[0]?.result).toBe(JSON.stringify(args).replace("Oslo", "Rome"));
  const decision = decisions.find(({ point }) => point === "preToolCall");
  expect(decision?.hooks.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["same", "proceed"],
    ["other", "modified"],
  ]);
});

test("a token hook that answers with the same text has changed nothing", async () => {
  const engine = await openEngine([{ pieces: ['say "', "h\u00e9", '\\n"', "\n"] }]);
  engine.hooks.on("streamToken", ({ text }) => ({ text }), { name: "typescript" });
  const library = await compileLibrary(`${prelude}
HOOK(hook) {
  UNUSED;
  if (strstr(context, "\\"text\\":\\"h\\xc3\\xa9\\"") != NULL) *modified = lh_strdup("h\\xc3\\xa9");
  return 0;
}
`);
  engine.hooks.addNative({ library, symbol: "hook", point: "streamToken", name: "c" });
  expect((await engine.generate("hi")).text).toBe('say "h\u00e9\\n"\n');
  expect(engine.hooks.stats().map(({ name, modifications, failures }) => [name, modifications, failures])).toEqual([
    ["typescript", 0, 0],
    ["c", 0, 0],
  ]);
});

test("calls that `when` kept from a handler leave no count and no record", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  let observed = 0;
  const options = { when: { text: " two" } } as const;
  engine.hooks.on("streamToken", () => undefined, { name: "awaited", ...options });
  const seen = new Promise<void>((resolve) => {
    engine.hooks.on("streamToken", () => void ++observed, { name: "observer", observe: true, ...options });
    engine.hooks.on("postGenerate", () => resolve(), { name: "last", observe: true });
  });
  engine.hooks.guard("preGenerate", () => undefined, { name: "guard", when: { tier: "guest" } });
  const { decisions } = await engine.generate("hi");
  await seen;
  expect(decisions.map(({ point }) => point)).toEqual(["postGenerate"]);
  expect(observed).toBe(1);
  expect(engine.hooks.stats().map(({ name, calls }) => [name, calls])).toEqual([
    ["guard", 0],
    ["last", 1],
    ["awaited", 1],
    ["observer", 1],
  ]);
});
