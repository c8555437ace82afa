// recordRun() and replayRun(): what was recorded runs again, without its model and tools, and comes out the same; where a hook
// now decides otherwise, that shows, and nothing is made up.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  cancel,
  defineHooks,
  readRecording,
  type Recording,
  recordRun,
  type Run,
  type RunOptions,
  type RunRecording,
  type Session,
  type SessionOptions,
  tool,
  type Tool,
} from "../../src/index.js";
import { replayRun, type ScriptReply } from "../../src/testing/index.js";
import { openEngine, rejection, type Script, tempDir } from "../support/engine.js";
import { record, expectSame, type Scene } from "../support/recordings.js";
import { bare, asks, calls, directs, fails, hangs, tools, weather } from "../support/sessions.js";

const oneString = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" as const } },
  required: [name],
});

const tooMuch = defineHooks("too-much", {
  contextAssemble: () => ({ inject: [{ content: "Mind the gap. ".repeat(200) }] }),
});
const noSecrets = defineHooks("no-secrets", {
  preToolCall: ({ args }) => (/secret/.test(String(args["path"])) ? cancel("no secrets") : undefined),
});

describe("a run that is iterated over is recorded when its iteration is over", () => {
  const saved = async (
    read: (run: Run, recording: RunRecording, session: Session) => Promise<unknown>,
    options: RunOptions = {},
    script: Script = [asks("Oslo"), "Done."],
  ): Promise<Recording> => {
    const engine = await openEngine(script);
    const session = engine.session({ tools, temperature: 0 });
    const recording = recordRun(session);
    await read(session.run("Hello", options), recording, session);
    const file = path.join(await tempDir(), "run.json");
    await recording.save(file);
    const kept = await readRecording(file);
    expect(kept.history).toEqual(bare(session.history()));
    return kept;
  };
  const ends = ({ runs }: Recording): unknown[] =>
    runs.map(({ outcome, error }) => outcome?.finishReason ?? error?.code);
  /** In the recording at once, whether the iteration ends or throws. */
  const all = async (run: Run, recording: RunRecording): Promise<void> => {
    try {
      for await (const event of run) expect(event.type).toBeDefined();
    } finally {
      expect(recording.toJSON().runs).toHaveLength(1);
    }
  };

  test("to its end, and awaited after that", async () => {
    const kept = await saved(all);
    expect(ends(kept)).toEqual(["complete"]);
    expect(kept.results).toHaveLength(1);
    expect(ends(await saved(async (run, to) => [await all(run, to), await run]))).toEqual(["complete"]);
    expect(ends(await saved((run, to) => Promise.all([all(run, to), all(run, to), run])))).toEqual(["complete"]);
  });

  test("left early, or cancelled and not waited for", async () => {
    const left = await saved(async (run) => {
      for await (const event of run) if (event.type === "toolResult") break;
    });
    expect(ends(left)).toEqual(["cancelled"]);
    const cancelled = await saved((run) => Promise.resolve(run.cancel("enough")));
    expect(ends(cancelled)).toEqual([]); // it had not begun: nothing was said
    const returned = await saved(async (run) => {
      const events = run[Symbol.asyncIterator]();
      await events.next();
      run.cancel("enough");
    });
    expect(ends(returned)).toEqual(["cancelled"]);
  });

  test("aborted, and with an error", async () => {
    const stop = new AbortController();
    const aborted = await saved(
      async (run, to) => {
        for await (const event of run) if (event.type === "toolResult") stop.abort();
        expect(to.toJSON().runs).toHaveLength(1);
      },
      { signal: stop.signal },
    );
    expect(ends(aborted)).toEqual(["cancelled"]);
    const failed = await saved((run, to) => rejection(all(run, to)), { hooks: [tooMuch] });
    expect(ends(failed)).toEqual(["INJECTION_OVERFLOW"]);
  });

  test("with what was queued meanwhile", async () => {
    const queued = await saved(
      async (run, to, session) => {
        session.queue("And Rome?");
        await all(run, to);
      },
      {},
      ["Done.", "Rome, too."],
    );
    expect([ends(queued), queued.queued.map(({ content }) => content)]).toEqual([["complete"], ["And Rome?"]]);
  });
});

test("the bundled model with two tool calls: the same history byte by byte, and a changed guard is a difference", async () => {
  const { bundledModel } = await import("../../src/index.js");
  const calculator = tool({
    name: "calculator",
    description: "Evaluates an arithmetic expression.",
    parameters: oneString("expression"),
    run: () => "84",
  });
  const read = tool({
    name: "read_file",
    description: "Reads a text file.",
    parameters: oneString("path"),
    run: ({ path: file }) => `the text of ${String(file)}`,
  });
  const recorded = await record({
    script: [],
    model: bundledModel,
    options: { tools: [calculator, read] },
    hooks: [noSecrets],
    inputs: ["What is 12 * 7, and what does notes.txt say?", "What does secrets.txt say?"],
  });
  expect(recorded.recording.runs[0]?.outcome?.toolCalls.map(({ resultKind }) => resultKind)).toEqual(["ok", "ok"]);
  await expectSame(recorded, [noSecrets]);
  // A guard that refuses more.
  const { differences, same } = await recorded.replay({
    hooks: [noSecrets],
    setup: (engine) =>
      engine.hooks.guard("preToolCall", ({ toolName }) => (toolName === "calculator" ? cancel("no sums") : undefined), {
        name: "sums",
      }),
  });
  expect(same).toBe(false);
  expect(differences.map(({ run, what, by }) => [run, what, by])).toEqual([[1, "tool call 1: calculator", "sums"]]);
  expect(differences[0]).toMatchObject({
    recorded: { result: "84" },
    replayed: { result: "blocked by sums: no sums" },
  });
  // One that is gone: what the tool would have given is not known, and not made up.
  const without = await recorded.replay();
  expect(without.differences.map(({ run, what }) => [run, what])).toEqual([[2, "tool call 1: read_file"]]);
  expect(without.missing).toEqual([{ tool: "read_file", args: { path: "secrets.txt" } }]);
  expect(without.differences[0]).toMatchObject({
    replayed: { result: "error: the recording has no result of this call" },
  });
});

const slow: Tool = tool({ name: "slow", deadlineMs: 1, run: hangs.run }) as Tool;
let turns = 0;
const turn: Tool = tool({ name: "turn", run: () => `turn ${++turns}` }) as Tool;
const even: Tool = tool({
  name: "even",
  parameters: z.object({ n: z.number().refine((n) => n % 2 === 0, "is odd") }),
  run: ({ n }) => `${n} is even`,
}) as Tool;

const delegating = {
  controlTools: ["delegate", "plan", "complete"],
  tier: "lead",
  tiers: {
    lead: { system: "You are lead." },
    coder: { system: "You are coder." },
    critic: { system: "You are critic." },
  },
} satisfies SessionOptions;
const crew = (...replies: ScriptReply[]): Script => ({
  replies: ["Who am I?"],
  scripts: [
    {
      when: "You are coder.",
      replies: [
        { reasoning: "I know it.", text: "On it.", toolCalls: [{ name: "weather", args: { city: "Oslo" } }] },
        "Written.",
      ],
    },
    { when: "You are critic.", replies: [asks("Rome"), "Not bad."] },
    { when: "You are lead.", replies },
  ],
});

const scenes: Record<string, Scene> = {
  "calls at once, and the same call again with another result": {
    script: [
      { toolCalls: ["Oslo", "Rome"].map((city) => ({ name: "weather", args: { city } })) },
      calls("turn"),
      calls("turn"),
      "Done.",
    ],
    options: { tools: [weather, turn], maxIdenticalCalls: 9 },
  },
  "reasoning and several runs": {
    script: [{ reasoning: "They greet.", text: "Hello!" }, asks("Oslo"), { reasoning: "Well.", text: "It is cold." }],
    inputs: ["Hi", ["How is Oslo?", { toolChoice: "auto" }], "Bye"],
  },
  "failures, deadlines, refusals and limits": {
    script: [
      calls("fails"),
      calls("slow"),
      calls("weather", { city: "Oslo" }),
      calls("clock"),
      calls("clock"),
      asks("Rome"),
      "Done.",
    ],
    options: { tools: [...tools, fails, slow], permissions: [{ deny: "clock" }, { allow: "*" }], maxToolCalls: 3 },
  },
  "arguments that the tool's own rules refuse": {
    script: [calls("even", { n: 3 }), calls("even", { n: 4 }), "Done."],
    options: { tools: [even] },
  },
  "a limit of iterations": { script: { replies: [asks("Oslo")], afterLast: "repeat" }, options: { maxIterations: 2 } },
  "an answer that was cut off": { script: ["one two three four five six"], options: { maxTokens: 3 } },
  "delegation, with its own calls": {
    script: crew(
      calls("delegate", { tier: "coder", task: "Write." }),
      calls("delegate", { tier: "coder", task: "Go on.", resume: "coder-1" }),
      "Done.",
    ),
    options: delegating,
  },
  "tiers at once, by a plan": {
    script: crew(
      calls("plan", {
        flow: "parallel",
        steps: ["coder", "critic", "coder"].map((tier, index) => ({
          name: `s${index}`,
          tier,
          task: index === 2 ? "B" : "A",
        })),
      }),
      calls("complete", { summary: "All of it." }),
    ),
    options: delegating,
  },
  "a plan of the caller's, and a dry run": {
    script: ["Planned.", asks("Oslo"), "Would have."],
    inputs: [
      ["Go", { plan: { flow: "sequence", steps: [{ tool: "weather", args: { city: "Oslo" } }] } }],
      ["Go", { dryRun: true }],
    ],
  },
  directives: {
    script: [
      calls("directs", {
        directives: [
          { type: "inject_context", params: { content: "Mind the gap." } },
          { type: "notify", params: { a: 1 } },
        ],
      }),
      calls("directs", { directives: [{ type: "stop_processing", params: { reason: "enough" } }] }),
    ],
    options: { tools: [directs] },
  },
  "reflection and a critic": {
    script: {
      replies: [asks("Oslo"), "Done."],
      scripts: [
        { when: "Does it lead", replies: ["PROCEED", "PROCEED"] },
        { when: "Is it wise", replies: [JSON.stringify({ reason: "Fine.", decision: "ALLOW" })] },
      ],
    },
    options: {
      reflect: true,
      reflectionPrompt: "Does it lead anywhere? PROCEED or HALT.",
      criticPrompt: "Is it wise? ALLOW or DENY.",
    },
  },
  "completion that is sent back": {
    script: [calls("complete", { summary: "Done" }), calls("complete", { summary: "Done [1]" })],
    options: { controlTools: ["complete"] },
    hooks: [defineHooks("cite", { complete: ({ summary }) => (summary.endsWith("]") ? undefined : cancel("cite")) })],
  },
  "a history to begin with, and a system prompt": {
    script: ["Never.", asks("Oslo"), "Done."],
    options: {
      system: "Be brief.",
      history: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
      ],
    },
  },
  "hooks that inject, retry, answer and halt": {
    script: ["Bad.", "Good.", asks("Oslo"), "Never."],
    inputs: ["Go", "Say pong", "Go on"],
    hooks: [
      defineHooks("mixed", {
        contextAssemble: () => ({ inject: [{ content: "x".repeat(2000) }] }),
        postGenerate: ({ content, toolCalls }) =>
          content === "Bad."
            ? { retry: "Say it well." }
            : toolCalls.length > 0
              ? { halt: "no tools today" }
              : undefined,
        preGenerate: ({ messages }) =>
          messages.some(({ content }) => content === "Say pong") &&
          messages.at(-1)?.content !== "Go on" &&
          !messages.some(({ content }) => content === "pong")
            ? { response: "pong" }
            : undefined,
      }),
    ],
    options: { injectionReserve: 4000 },
  },
};

test.each(Object.keys(scenes).flatMap((name) => [false, true].map((raw) => [name, raw] as const)))(
  "%s: replays to the same, raw %s",
  async (name, raw) => {
    const scene = scenes[name] as Scene;
    const recorded = await record({ ...scene, raw });
    expect(recorded.recording.runs.length).toBe(scene.inputs?.length ?? 1);
    await expectSame(recorded, scene.hooks);
  },
);

test("what is said meanwhile is said again at the same place", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold.", "Warm.", "And bye."]);
  const session = engine.session({ tools, temperature: 0 });
  using recording = recordRun(session);
  session.queue("Also this.");
  engine.hooks.on("iterationEnd", ({ iteration }) => void (iteration === 2 && session.queue("And Rome?")));
  await session.run("How is Oslo?");
  const replay = await replayRun(recording.toJSON());
  expect(replay.differences).toEqual([]);
  expect(replay.history.map(({ content }) => content)).toEqual(session.history().map(({ content }) => content));
  expect(replay.history.map(({ content }) => content)).toContain("And Rome?");
});
