// Hooks that are bound to one tool: they are called for its calls, and their `args` have its type.
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { cancel, tool, type ToolEventOf } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { calls, runOnce } from "../support/sessions.js";

const shell = tool({
  name: "shell",
  parameters: {
    type: "object",
    properties: { command: { type: "string" }, force: { type: "boolean" } },
    required: ["command"],
  },
  run: ({ command }) => `ran ${command}`,
});
const counts = tool({
  name: "counts",
  parameters: z.object({ n: z.number(), step: z.number().default(1) }),
  run: ({ n, step }) => n + step,
});
const script = [calls("shell", { command: "ls" }), calls("counts", { n: 1 }), "Done."];

test("a hook of a tool is called for its calls alone, and knows the type of the arguments", async () => {
  const engine = await openEngine(script);
  const seen: string[] = [];
  engine.hooks.on(
    "preToolCall",
    ({ args, toolName }) => {
      expectTypeOf(args.command).toEqualTypeOf<string>();
      expectTypeOf(args.force).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(toolName).toEqualTypeOf<"shell">();
      seen.push(`pre ${args.command}`);
      return { args: { command: "pwd" } };
    },
    { tool: shell },
  );
  engine.hooks.on(
    "postToolCall",
    ({ args, result }) => {
      expectTypeOf(args.step).toEqualTypeOf<number>(); // the schema's default is there
      seen.push(`post ${args.n} by ${args.step}: ${result}`);
    },
    { tool: counts },
  );
  engine.hooks.on("toolResultPersist", ({ toolName }) => void seen.push(`kept ${toolName}`), { tool: counts });
  const { toolCalls } = await runOnce(engine, { tools: [shell, counts] });
  expect(seen).toEqual(["pre ls", "post 1 by 1: 2", "kept counts"]);
  expect(toolCalls[0]?.args).toEqual({ command: "pwd" });
});

test("a guard of a tool does the same, beside the other tests of `when`", async () => {
  const engine = await openEngine(script);
  const guarded: unknown[] = [];
  engine.hooks.guard(
    "preToolCall",
    ({ args, meta }) => {
      expectTypeOf(args.command).toEqualTypeOf<string>();
      guarded.push([args.command, meta.depth]);
      return args.force === true ? undefined : cancel("not without force");
    },
    { tool: shell, when: { depth: 0 } },
  );
  engine.hooks.guard("permissionCheck", ({ args }) => void args.n.toFixed(), { tool: counts, when: { depth: 1 } });
  const { toolCalls } = await runOnce(engine, { tools: [shell, counts] });
  expect(guarded).toEqual([["ls", 0]]);
  expect(toolCalls.map(({ resultKind }) => resultKind)).toEqual(["rejected_hook", "ok"]);
});

test("an event of a tool has its own name, and a tool without types has open arguments", () => {
  expectTypeOf<ToolEventOf<"preToolCall", typeof shell>["args"]["command"]>().toEqualTypeOf<string>();
  expectTypeOf<ToolEventOf<"preToolCall", { name: "x" }>["args"]>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
});

test("a point without tools, a name in two places and what is not a tool are refused", async () => {
  const engine = await openEngine([], { models: {} });
  const on =
    (...args: unknown[]): (() => unknown) =>
    () =>
      Reflect.apply(engine.hooks.on, engine.hooks, args);
  const none = (): undefined => undefined;
  expect(on("preGenerate", none, { tool: shell })).toThrow('preGenerate has no field "toolName"');
  expect(on("preToolCall", none, { tool: shell, when: { toolName: "b" } })).toThrow("tool or when.toolName, not both");
  for (const wrong of ["shell", 1, {}, { name: "" }, null])
    expect(on("preToolCall", none, { tool: wrong })).toThrow(/\.tool must be a tool/);
  expect(engine.hooks.list()).toEqual([]);
});
