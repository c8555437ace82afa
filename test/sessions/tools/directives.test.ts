import { expect, test } from "vitest";
import {
  cancel,
  type DirectiveType,
  type Engine,
  type RunEvent,
  type SessionOptions,
  tool,
} from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, clock, directs, reads, runOnce, story, resultTexts, weather } from "../../support/sessions.js";

interface Directive {
  readonly type: DirectiveType;
  readonly params?: object;
}
const directing = (...directives: Directive[]) => calls("directs", { directives });

/** The messages of each model call without its system prompt: role and text of each. */
function prompts(engine: Engine): string[][] {
  const seen: string[][] = [];
  engine.hooks.on("preGenerate", ({ messages }) => {
    seen.push(messages.filter(({ role }) => role !== "system").map(({ role, content }) => `${role}: ${content}`));
  });
  return seen;
}

/** The errors that `error` hooks get. */
function errorsOf(engine: Engine): string[] {
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  return errors;
}

const options = { tools: [directs, weather, clock] } satisfies SessionOptions;

test("stop_processing ends the run after its batch, as a halt by the tool", async () => {
  const engine = await openEngine([
    { toolCalls: [...directing({ type: "stop_processing" }).toolCalls, ...calls("clock").toolCalls] },
  ]);
  const result = await runOnce(engine, options);
  expect(result).toMatchObject({ finishReason: "halted", halt: { by: "directs", reason: "stop_processing" } });
  expect(resultTexts(result)).toEqual(["directed", "noon"]);
  expect(result.iterations).toBe(1);
});

test("tier_change: the session continues as another tier from the next iteration, and in its next run", async () => {
  const engine = await openEngine([directing({ type: "tier_change", params: { tier: "coder" } }), "Coded.", "Again."]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages, tools, tier, params }) => {
    seen.push([tier, messages[0]?.content, tools.length, params.seed]);
  });
  const tiers = { coder: { system: "You code.", tools: ["clock"], seed: 3 }, lead: {} };
  const session = engine.session({ ...options, system: "You lead.", seed: 1, tiers, tier: "lead" });
  await session.run("Go");
  await session.run("On");
  expect(seen).toEqual([
    ["lead", "You lead.", 3, 1],
    ["coder", "You code.", 1, 3],
    ["coder", "You code.", 1, 3],
  ]);
});

test("delegate and pipeline: what came of them stands beside the result", async () => {
  const engine = await openEngine({
    replies: [
      directing({ type: "delegate", params: { tier: "coder", task: "Write." } }),
      directing({ type: "pipeline", params: { task: "Write.", stages: [{ tier: "coder" }] } }),
      "Done.",
    ],
    scripts: [{ when: "You code.", replies: ["Written."] }],
  });
  const result = await runOnce(engine, { ...options, tiers: { coder: { system: "You code." } } });
  expect(resultTexts(result)).toEqual([
    "directed\n[delegate: Written.\n[conversation coder-1]]",
    "directed\n[pipeline: Written.]",
  ]);
});

test("complete ends the run through complete hooks, once all results are there", async () => {
  const engine = await openEngine([
    {
      toolCalls: [
        ...directing({ type: "complete", params: { summary: "All done." } }).toolCalls,
        ...calls("clock").toolCalls,
      ],
    },
    directing({ type: "complete", params: { summary: "All done, at noon." } }),
  ]);
  const seen: unknown[] = [];
  engine.hooks.on("complete", ({ summary, toolResults }) => {
    seen.push([summary, toolResults.map(({ content }) => content)]);
    return seen.length === 1 ? cancel("when?") : undefined;
  });
  const result = await runOnce(engine, options);
  expect(result).toMatchObject({ finishReason: "complete", text: "All done, at noon.", iterations: 2 });
  expect(seen).toEqual([
    ["All done.", ["directed", "noon"]],
    ["All done, at noon.", ["directed", "noon", "directed"]],
  ]);
  expect(result.messages.map(({ content }) => content)).toContain("[CITATION VALIDATION] when?");
});

test("inject_context is a message that stays, after the results", async () => {
  const engine = await openEngine([
    directing({ type: "inject_context", params: { content: "It rains." } }),
    "Ah.",
    "Yes.",
  ]);
  const seen = prompts(engine);
  const session = engine.session(options);
  await session.run("Go");
  await session.run("Sure?");
  expect(seen[1]?.slice(-2)).toEqual(["tool: directed", "user: It rains."]);
  expect(seen[2]).toContain("user: It rains.");
});

test("context_anchor: a text by key, of which the newest stands", async () => {
  const anchor = (content: string) => directing({ type: "context_anchor", params: { key: "goal", content } });
  const engine = await openEngine([anchor("The goal is A."), anchor("The goal is B."), "I see.", "Still."]);
  const seen = prompts(engine);
  const session = engine.session(options);
  const first = await session.run("Go");
  expect(seen[1]).toContain("user: The goal is A.");
  expect(seen[2]?.join()).not.toContain("goal is A");
  expect(seen[2]?.at(-1)).toBe("user: The goal is B.");
  expect(first.messages.map(({ content }) => content)).toEqual(
    ["Hello", "Go"].slice(1).concat(["", "directed", "", "directed", "The goal is B.", "I see."]),
  );
  await session.run("Sure?");
  expect(session.history().filter(({ content }) => content.startsWith("The goal")).length).toBe(1);
});

test("prune_messages shortens earlier results; context_inspect gives them back; no call is without its result", async () => {
  const engine = await openEngine([
    calls("reads"),
    calls("clock"),
    directing({ type: "prune_messages", params: { tool: "reads" } }),
    "Pruned.",
  ]);
  const seen = prompts(engine);
  const session = engine.session({ tools: [directs, reads, clock], controlTools: ["context_inspect"] });
  const { toolCalls } = await session.run("Go");
  const id = toolCalls[0]?.id as string;
  expect(seen[3]).toContainEqual(
    expect.stringMatching(
      new RegExp(`^tool: \\[result of reads, \\d+ tokens, shortened; context_inspect gives it back: ${id}\\]$`),
    ),
  );
  expect(seen[3]).toContain("tool: noon");
  expect(session.history().filter(({ role }) => role === "tool").length).toBe(3);
});

test("notify tells the caller alone", async () => {
  const engine = await openEngine([directing({ type: "notify", params: { message: "half way", done: 0.5 } }), "Done."]);
  const session = engine.session(options);
  const events: RunEvent[] = [];
  for await (const event of session.run("Go")) events.push(event);
  expect(events.filter(({ type }) => type === "notify")).toMatchObject([
    { tool: "directs", params: { message: "half way", done: 0.5 }, depth: 0 },
  ]);
  expect(JSON.stringify(session.history())).not.toContain('"role":"user","content":"half way');
});

test("phase_change: the phase's tools and sampling hold from the next iteration", async () => {
  const engine = await openEngine([
    directing({ type: "phase_change", params: { phase: "verify" } }),
    calls("phase_change", { phase: "plan" }),
    "Ok.",
  ]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ tools, params }) => void seen.push([tools.map(({ name }) => name), params.seed]));
  const phases = { plan: {}, verify: { tools: ["clock"], seed: 9 } };
  const result = await runOnce(engine, { ...options, seed: 1, phases, controlTools: ["phase_change"] });
  const all = ["directs", "weather", "clock", "phase_change"];
  expect(seen).toEqual([
    [all, 1],
    [["clock", "phase_change"], 9],
    [all, 1],
  ]);
  expect(resultTexts(result)[1]).toBe("the phase is plan");
});

test("todo sets the list, and clear_todos empties it", async () => {
  const todos = [
    { content: "Buy bread", status: "completed" },
    { content: "Bake", status: "in_progress" },
    { content: "Eat", status: "pending" },
  ];
  const engine = await openEngine([
    calls("todo", { todos }),
    directing({ type: "clear_todos" }),
    calls("todo", { todos: [] }),
    "Ok.",
  ]);
  const result = await runOnce(engine, { ...options, controlTools: ["todo"] });
  expect(resultTexts(result)).toEqual(["[x] Buy bread\n[>] Bake\n[ ] Eat", "directed", "the list is empty"]);
});

test("prune_context and context_inspect as tools; errors are reported", async () => {
  const engine = await openEngine([
    calls("reads"),
    calls("prune_context"),
    calls("prune_context", { keep_last: 1 }),
    calls("prune_context", { tool: "reads" }),
    calls("context_inspect", { id: "call_nobody" }),
    "Ok.",
  ]);
  const result = await runOnce(engine, { tools: [reads], controlTools: ["prune_context", "context_inspect"] });
  expect(resultTexts(result)).toEqual([
    story,
    "invalid arguments: params must have tool, ids or keep_last",
    "results shortened: 1",
    "results shortened: 0",
    "invalid arguments: /id nothing is kept of the call call_nobody",
  ]);
});

test("the rest of a result that was shortened can be read with context_inspect, as hooks left it", async () => {
  const long = tool({ name: "long", run: () => Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join("") });
  const engine = await openEngine([calls("long"), "Ok.", "Ok."]);
  const session = engine.session({ tools: [long], maxResultBytes: 256, controlTools: ["context_inspect"] });
  const [first] = resultTexts(await session.run("Go"));
  const id = /context_inspect gives the rest: (call_\S+)\]$/.exec(first as string)?.[1] as string;
  const asking = await openEngine([
    calls("long"),
    calls("context_inspect", { id: "" }),
    calls("context_inspect", { id: "" }),
    "Ok.",
  ]);
  expect(id).toMatch(/^call_/);
  const inspect: string[] = [];
  let last = "";
  asking.hooks.on("preToolCall", ({ toolName, args, toolCallId }) => {
    if (toolName === "long") last = toolCallId;
    return toolName === "context_inspect"
      ? { args: { ...args, id: last, offset: 192 * inspect.length + 250 } }
      : undefined;
  });
  asking.hooks.on(
    "postToolCall",
    ({ toolName, result }) => void (toolName === "context_inspect" && inspect.push(result)),
  );
  await runOnce(asking, { tools: [long], maxResultBytes: 256, controlTools: ["context_inspect"] });
  const whole = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join("");
  expect(inspect[0]).toBe(`${whole.slice(250, 442)}\n[it goes on at the offset 442]`);
  expect(inspect[1]).toBe(`${whole.slice(442, 634)}\n[it goes on at the offset 634]`);

  inspect.length = 0;
  asking.hooks.on("postToolCall", ({ toolName, result }) =>
    toolName === "long" ? { result: result.replaceAll("line 3", "[x]") } : undefined,
  );
  const options = { tools: [long], maxResultBytes: 256, controlTools: ["context_inspect"] as const };
  await runOnce(asking, options);
  expect(inspect[0]).toBe(`${whole.replaceAll("line 3", "[x]").slice(250, 442)}\n[it goes on at the offset 442]`);

  inspect.length = 0;
  asking.hooks.on("toolResultPersist", ({ toolName }) => (toolName === "long" ? { result: "kept short" } : undefined));
  await runOnce(asking, options);
  expect(inspect[0]).toBe(`invalid arguments: /id nothing is kept of the call ${last}`);
});

test("directives of a tool that is not trusted are dropped, with an error", async () => {
  const sly = tool({ ...directs, name: "sly", trusted: false });
  const engine = await openEngine([calls("sly", { directives: [{ type: "stop_processing" }] }), "I went on."]);
  const errors = errorsOf(engine);
  expect(await runOnce(engine, { tools: [sly] })).toMatchObject({ finishReason: "complete", text: "I went on." });
  expect(errors).toEqual(["INVALID_DIRECTIVE the directive stop_processing of the tool sly: the tool is not trusted"]);
});

test("directives that a hook adds are those of the tool: carried out if it is trusted and has run", async () => {
  const sly = tool({ ...directs, name: "sly", trusted: false });
  const given = { directives: [] };
  const asked = [...calls("sly", given).toolCalls, ...calls("directs", given).toolCalls, ...calls("clock").toolCalls];
  const engine = await openEngine([{ toolCalls: asked }, "I went on."]);
  engine.hooks.on("preToolCall", ({ toolName }) => (toolName === "clock" ? cancel("not now") : undefined));
  const errors = errorsOf(engine);
  const notify = { directives: [{ type: "notify", params: {} }] };
  engine.hooks.on("postToolCall", () => notify);
  const session = engine.session({ tools: [sly, directs, clock], temperature: 0 });
  const notices: string[] = [];
  for await (const event of session.run("Go")) if (event.type === "notify") notices.push(event.tool);
  expect(notices).toEqual(["directs"]);
  expect(errors).toEqual([
    "INVALID_DIRECTIVE the directive notify of the tool sly: the tool is not trusted",
    "INVALID_DIRECTIVE the directive notify of the tool clock: the tool did not run",
  ]);
  // A message that a hook stops: its calls are refused, and so are directives.
  const again = await openEngine([calls("directs", given)]);
  const refused = errorsOf(again);
  again.hooks.on("postGenerate", () => ({ halt: "enough" }));
  again.hooks.on("postToolCall", () => notify);
  expect((await runOnce(again, { tools: [directs] })).finishReason).toBe("halted");
  expect(refused).toEqual(["INVALID_DIRECTIVE the directive notify of the tool directs: the tool did not run"]);
});

test.each<[Directive, string]>([
  [{ type: "tier_change", params: { tier: "absent" } }, "unknown tier absent; there are: none"],
  [{ type: "phase_change", params: { phase: "none" } }, 'there is no phase "none"'],
  [{ type: "inject_context" }, 'params lacks "content"'],
  [{ type: "stop_processing", params: { reason: 7 } }, "params.reason expected string, got number"],
  [{ type: "prune_messages" }, "params must have tool, ids or keep_last"],
])("%j cannot be carried out: an error says so, and the run continues", async (directive, why) => {
  const engine = await openEngine([directing(directive), "I went on."]);
  const errors = errorsOf(engine);
  expect(await runOnce(engine, options)).toMatchObject({ finishReason: "complete", text: "I went on." });
  expect(errors).toEqual([`INVALID_DIRECTIVE the directive ${directive.type} of the tool directs: ${why}`]);
});

test("postToolCall shows the directives, and they pass before the result is stored", async () => {
  const engine = await openEngine([directing({ type: "notify", params: { a: 1 } }), "Ok."]);
  const order: unknown[] = [];
  engine.hooks.on("postToolCall", ({ directives }) => void order.push(directives));
  engine.hooks.on("directive", ({ type }) => void order.push(type));
  engine.hooks.on("toolResultPersist", () => void order.push("stored"));
  await runOnce(engine, options);
  expect(order).toEqual([[{ type: "notify", params: { a: 1 } }], "notify", "stored"]);
});

test("an exclusive tool never runs while another of the message does", async () => {
  let running = 0;
  const most: number[] = [];
  const make = (name: string, exclusive: boolean) =>
    tool({
      name,
      exclusive,
      run: async () => {
        most.push(++running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running--;
        return name;
      },
    });
  const names = ["alone", "free", "other", "alone"];
  const engine = await openEngine([{ toolCalls: names.map((name) => ({ name, args: {} })) }, "Ok."]);
  const result = await runOnce(engine, { tools: [make("alone", true), make("free", false), make("other", false)] });
  expect(resultTexts(result)).toEqual(names);
  expect(most).toEqual([1, 2, 1, 1]);
});

test.each([
  ["notify", 7, "error: The params of the directive notify must be an object, got 7"],
  ["", {}, 'error: The type of a directive must be a string that is not empty, got ""'],
])("directive(%j, %j) is checked where it is called", async (type, params, text) => {
  const bad = tool({ name: "bad", trusted: true, run: (_, { directive }) => directive(type, params as never) });
  const engine = await openEngine([calls("bad"), "Ok."]);
  expect(resultTexts(await runOnce(engine, { tools: [bad] }))).toEqual([text]);
});

test("what a custom directive has to say is cut to maxResultBytes, too", async () => {
  const engine = await openEngine([directing({ type: "ring" }), "Ok."]);
  engine.hooks.on("customDirective", () => ({ handled: true, message: "x".repeat(1000) }));
  expect(resultTexts(await runOnce(engine, { ...options, maxResultBytes: 300 }))).toEqual([
    `directed\n${"x".repeat(299)}\n[shortened: 300 of 1001 bytes]`,
  ]);
});

test("what a directive has done stands beside a result that was cut", async () => {
  const both = tool({
    name: "clock",
    trusted: true,
    run: (_, { directive }) => (directive("delegate", { tier: "coder", task: "Write." }), "x".repeat(1000)),
  });
  const engine = await openEngine({
    replies: [calls("clock"), "Done."],
    scripts: [{ when: "You write code.", replies: ["Written."] }],
  });
  const tiers = { coder: { system: "You write code.", tools: [] } };
  const [first] = resultTexts(await runOnce(engine, { tools: [both], tiers, maxResultBytes: 256 }));
  expect(first).toMatch(
    /^x{256}\n\[shortened: 256 of 1000 bytes\]\n\[delegate: Written\.\n\[conversation coder-1\]\]$/,
  );
});

test("an anchor that is replaced takes nothing else with it that says the same", async () => {
  const anchor = (content: string) => directing({ type: "context_anchor", params: { key: "goal", content } });
  const engine = await openEngine([anchor("Be brief."), "I see.", anchor("Be kind."), "Yes."]);
  const session = engine.session({ tools: [directs], temperature: 0 });
  await session.run("Be brief.");
  await session.run("Go on.");
  const said = session.history().filter(({ role }) => role === "user");
  expect(said.map(({ content }) => content)).toEqual(["Be brief.", "Go on.", "Be kind."]);
});
