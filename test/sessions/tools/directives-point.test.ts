// Each directive passes ON_DIRECTIVE: there it is seen, and what is cancelled there is not done.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type SessionOptions } from "../../../src/index.js";
import { openEngine, tempDir } from "../../support/engine.js";
import { asks, calls, clock, directs, resultTexts, weather } from "../../support/sessions.js";

type Params = Record<string, unknown>;

const tiers = { lead: { system: "You lead." }, coder: { system: "You write code.", tools: ["clock"] } };
const options = {
  tools: [directs, weather, clock],
  controlTools: ["todo", "context_inspect"],
  tier: "lead",
  tiers,
  phases: { plan: {}, verify: { tools: ["clock"] } },
  temperature: 0,
} satisfies SessionOptions;
const todos = [{ content: "Bake", status: "pending" }];
const shortened = /^\[result of weather, \d+ tokens, shortened; /;

/** Every outcome of a directive, in a run that sets a todo, asks for the weather, gives the directive, and continues. */
async function outcome(type: string, params: Params, forbid: boolean) {
  const given = calls("directs", { directives: [{ type, params }] });
  const replies = [calls("todo", { todos }), asks("Llanfairpwllgwyngyll".repeat(9)), given, "I went on."];
  const engine = await openEngine({ replies, scripts: [{ when: "Write it.", replies: ["It is written."] }] });
  const seen: unknown[] = [];
  engine.hooks.on("directive", (event) => {
    seen.push([event.type, event.params, event.meta.depth]);
    return forbid ? cancel("not now") : undefined;
  });
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const children: string[] = [];
  engine.hooks.on("delegate", ({ targetTier }) => void children.push(targetTier));
  const completions: string[] = [];
  engine.hooks.on("complete", ({ summary }) => void completions.push(summary));
  let last: { tier: string | null; tools: string[]; texts: string[] } | undefined;
  engine.hooks.on("preGenerate", ({ tier, tools, messages, meta }) => {
    if (meta.depth !== 0) return;
    last = { tier, tools: tools.map(({ name }) => name), texts: messages.map(({ content }) => content) };
  });
  const session = engine.session(options);
  const run = session.run("Go");
  const notices: unknown[] = [];
  for await (const event of run) if (event.type === "notify") notices.push(event.params);
  const result = await run;
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const saved = JSON.parse(await readFile(file, "utf8")) as { conversation: { todos: unknown } };
  expect(seen).toEqual([[type, params, 0]]);
  expect(errors).toEqual([]);
  return {
    ending: [result.finishReason, result.text],
    texts: resultTexts(result).at(-1),
    halt: result.halt ?? null,
    completions,
    tier: last?.tier,
    tools: last?.tools,
    pruned: last?.texts.some((text) => shortened.test(text)),
    said: session.history().flatMap(({ role, content }) => (role === "user" ? [content] : [])),
    todos: saved.conversation.todos,
    children,
    notices,
  };
}

/** The observations after a directive without effect. */
const nothing = {
  ending: ["complete", "I went on."],
  texts: "directed",
  halt: null,
  completions: [],
  tier: "lead",
  tools: ["directs", "weather", "clock", "todo", "context_inspect"],
  pruned: false,
  said: ["Go"],
  todos,
  children: [],
  notices: [],
};

const task = { tier: "coder", task: "Write it." };
const table: readonly [string, Params, Partial<Record<keyof typeof nothing, unknown>>][] = [
  [
    "stop_processing",
    { reason: "late" },
    // The last model call is the one that gave the directive.
    { ending: ["halted", ""], halt: { by: "directs", reason: "late" } },
  ],
  ["tier_change", { tier: "coder" }, { tier: "coder", tools: ["clock"] }],
  ["delegate", task, { texts: "directed\n[delegate: It is written.\n[conversation coder-1]]", children: ["coder"] }],
  [
    "pipeline",
    { task: "Write it.", stages: [{ tier: "coder" }] },
    { texts: "directed\n[pipeline: It is written.]", children: ["coder"] },
  ],
  ["complete", { summary: "All done." }, { ending: ["complete", "All done."], completions: ["All done."] }],
  ["clear_todos", {}, { todos: [] }],
  ["inject_context", { content: "It rains." }, { said: ["Go", "It rains."] }],
  ["prune_messages", { tool: "weather" }, { pruned: true }],
  ["context_anchor", { key: "goal", content: "The goal is A." }, { said: ["Go", "The goal is A."] }],
  ["phase_change", { phase: "verify" }, { tools: ["clock"] }],
  ["notify", { message: "half way" }, { notices: [{ message: "half way" }] }],
];

test("these are the directives that the manual has", async () => {
  const manual = await readFile(new URL("../../../docs/concepts/delegation.md", import.meta.url), "utf8");
  const section = manual.split("## Directives")[1]?.split("\n## ")[0] ?? "";
  const types = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, type]) => type);
  expect(table.map(([type]) => type)).toEqual(types);
  expect(types.length).toBe(11);
});

test.each(table)("%s is seen at the point, and done", async (type, params, effect) => {
  expect(await outcome(type, params, false)).toEqual({ ...nothing, ...effect });
});

test.each(table)("%s that is cancelled there is not done", async (type, params) => {
  expect(await outcome(type, params, true)).toEqual(nothing);
});

test("a tier whose model is not loaded is INVALID_DIRECTIVE, the run continues, and so does the session", async () => {
  const engine = await openEngine([
    calls("directs", { directives: [{ type: "tier_change", params: { tier: "gone" } }] }),
    "On.",
  ]);
  const codes: string[] = [];
  engine.hooks.on("error", ({ code }) => void codes.push(code));
  const session = engine.session({ ...options, tiers: { ...tiers, gone: { model: "gone" } } });
  expect((await session.run("Go")).text).toBe("On.");
  expect(codes).toEqual(["INVALID_DIRECTIVE"]);
});

test("a customDirective hook that has not carried it out tells the model what it has to say all the same", async () => {
  const engine = await openEngine([calls("directs", { directives: [{ type: "weekend" }] }), "Well."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  engine.hooks.on("customDirective", () => ({ message: "there is no weekend" }));
  expect(resultTexts(await engine.session(options).run("Go"))).toEqual(["directed\nthere is no weekend"]);
  expect(errors).toEqual(["INVALID_DIRECTIVE"]);
});
