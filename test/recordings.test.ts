// recordRun() and replayRun(): what was recorded runs again, without its model and tools, and comes out the same; where a hook
// now decides otherwise, that shows, and nothing is made up.
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  cancel,
  defineHooks,
  type HookSet,
  readRecording,
  type Recording,
  type RunOptions,
  recordRun,
  type SessionOptions,
  tool,
  type Tool,
} from "../src/index.js";
import { redact } from "../src/ready-hooks/index.js";
import { type Replay, replayRun, type ReplayOptions, type ScriptReply } from "../src/testing/index.js";
import { openEngine, rejection, type Script, tempDir } from "./support/engine.js";
import { asks, calls, directs, expectWhole, fails, hangs, tools, weather } from "./support/sessions.js";

interface Recorded {
  readonly file: string;
  readonly recording: Recording;
  /** The history of the session that was recorded. */
  readonly history: string;
  replay(options?: ReplayOptions): Promise<Replay>;
}

interface Scene {
  readonly script: Script;
  readonly options?: SessionOptions;
  readonly hooks?: HookSet[];
  readonly inputs?: readonly (string | readonly [string, RunOptions])[];
  readonly raw?: boolean;
  readonly model?: string;
}

/** Runs a scene and records it; its engine is closed, its model of no more use. */
async function record({ script, options, hooks = [], inputs = ["Hello"], raw, model }: Scene): Promise<Recorded> {
  const engine = await openEngine(script, { parallel: 4, ...(model !== undefined && { model }) });
  engine.hooks.use(hooks);
  const session = engine.session({ tools, temperature: 0, ...options });
  const recording = recordRun(session, { ...(raw !== undefined && { raw }) });
  for (const input of inputs) {
    const [text, given] = typeof input === "string" ? [input, {}] : input;
    await session.run(text, given).catch(() => undefined);
  }
  const file = path.join(await tempDir(), "run.json");
  await recording.save(file);
  const history = JSON.stringify(session.history());
  await engine.close();
  return { file, recording: await readRecording(file), history, replay: (given) => replayRun(file, given) };
}

async function expectSame(recorded: Recorded, hooks: HookSet[] = []): Promise<Replay> {
  const replay = await recorded.replay({ hooks });
  expect(replay.differences).toEqual([]);
  expect([replay.same, replay.missing]).toEqual([true, []]);
  expect(JSON.stringify(replay.history)).toBe(recorded.history);
  expectWhole(replay.history);
  return replay;
}

const oneString = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" as const } },
  required: [name],
});

const noSecrets = defineHooks("no-secrets", {
  preToolCall: ({ args }) => (/secret/.test(String(args["path"])) ? cancel("no secrets") : undefined),
});

test("the bundled model with two tool calls: the same history byte by byte, and a changed guard is a difference", async () => {
  const { bundledModel } = await import("../src/index.js");
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
  "delegation, with calls of its own": {
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
        { when: "Is it wise", replies: ["ALLOW it."] },
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

const secret = "key-4711";
const reveals: Tool = tool({ name: "reveals", run: () => `the ${secret}` }) as Tool;
const revealing: Scene = {
  script: [calls("reveals"), calls("weather", { city: secret }), `It is ${secret}.`],
  options: { tools: [weather, reveals] },
  inputs: [`Mind ${secret}.`],
};
const masking = [
  redact(secret),
  defineHooks("args", {
    preToolCall: ({ args }) => (args["city"] === secret ? { args: { city: "Oslo" } } : undefined),
  }),
];

test("what hooks have masked is not in a recording, which replays with and without them", async () => {
  const recorded = await record({ ...revealing, hooks: masking });
  expect(await readFile(recorded.file, "utf8")).not.toContain(secret);
  await expectSame(recorded, masking);
  await expectSame(recorded);
  const stored = await record({
    ...revealing,
    inputs: ["Hi"],
    script: [calls("reveals"), "Done."],
    hooks: [defineHooks("stored", { toolResultPersist: ({ result }) => ({ result: result.replace(secret, "#") }) })],
  });
  // postToolCall hooks left it as it was: that is what the result says, and the history does not.
  expect(JSON.stringify([stored.recording.results, stored.recording.history])).not.toContain(secret);
});

test("a raw one has all of it: without the hook that masks the secret is back, which shows", async () => {
  const recorded = await record({ ...revealing, raw: true, hooks: masking });
  expect(await readFile(recorded.file, "utf8")).toContain(secret);
  await expectSame(recorded, masking);
  const { differences, missing } = await recorded.replay();
  expect(differences.map(({ what }) => what)).toEqual([
    "tool call 1: reveals",
    "tool call 2: weather",
    "message 1: user",
    "message 4: assistant",
  ]);
  // What streamToken hooks made of the model's words is what was recorded.
  expect(recorded.recording.calls.at(-1)?.content).toBe("It is [redacted].");
  // The arguments are others now, and no result was recorded for these.
  expect(missing).toEqual([{ tool: "weather", args: { city: secret } }]);
});

test("a hook that makes something else of its own work replays exactly only when raw", async () => {
  const again = [defineHooks("again", { postToolCall: ({ result }) => ({ result: `${result}!` }) })];
  const scene = { script: [asks("Oslo"), "Done."], hooks: again };
  await expectSame(await record({ ...scene, raw: true }), again);
  const { differences } = await (await record(scene)).replay({ hooks: again });
  expect(differences.map(({ what, replayed }) => [what, (replayed as { result: string }).result])).toEqual([
    ["tool call 1: weather", "Oslo: 4 degrees!!"],
  ]);
});

test("what a hook refuses before it is heard is in a raw recording only", async () => {
  const hooks = [
    defineHooks("mute", { userMessage: ({ content }) => (content === "Shout" ? cancel("quiet") : undefined) }),
  ];
  const scene = { script: ["One.", "Two."], inputs: ["Hi", "Shout", "Bye"], hooks };
  const inputs = ({ recording }: Recorded): string[] => recording.runs.map(({ input }) => input);
  const [plain, raw] = [await record(scene), await record({ ...scene, raw: true })];
  expect([inputs(plain), inputs(raw)]).toEqual([
    ["Hi", "Bye"],
    ["Hi", "Shout", "Bye"],
  ]);
  await expectSame(plain, hooks);
  await expectSame(raw, hooks);
  const { differences } = await raw.replay();
  expect(differences.map(({ run, what }) => [run, what])).toContainEqual([2, "end"]);
});

test("a changed end, a changed text, a run that fails now: each shows, with who did it", async () => {
  const recorded = await record({ script: [asks("Oslo"), "It is cold."] });
  const halted = await recorded.replay({ hooks: [defineHooks("stop", { iterationEnd: () => cancel("enough") })] });
  expect(halted.differences.at(-1)).toEqual({
    run: 1,
    what: "end",
    recorded: { finishReason: "complete" },
    replayed: { finishReason: "halted", halt: { by: "stop", reason: "enough" } },
    by: "stop",
  });
  const loud = await recorded.replay({
    hooks: [defineHooks("loud", { postGenerate: ({ content }) => ({ content: content.toUpperCase() }) })],
  });
  expect(loud.differences).toContainEqual({
    run: 1,
    what: "text",
    recorded: "It is cold.",
    replayed: "IT IS COLD.",
    by: null,
  });
  // One more model call than was recorded.
  const retried = await recorded.replay({
    hooks: [
      defineHooks("again", {
        postGenerate: ({ content }) => (content.startsWith("It") ? { retry: "Sure?" } : undefined),
      }),
    ],
  });
  expect(retried.runs[0]).toMatchObject({ text: "[the recording has no such model call]" });
  const failed = await recorded.replay({ hooks: [defineHooks("model", { preGenerate: () => ({ messages: [] }) })] });
  expect(failed.same).toBe(false);
});

test("models of tiers keep their names", async () => {
  const engine = await openEngine([], { models: {} });
  const { scriptModel } = await import("./support/engine.js");
  await engine.models.load("big", {
    path: await scriptModel([calls("delegate", { tier: "coder", task: "Write." }), "Done."]),
  });
  await engine.models.load("small", { path: await scriptModel(["Written."]) });
  const session = engine.session({
    model: "big",
    temperature: 0,
    controlTools: ["delegate"],
    tiers: { coder: { model: "small", system: "Code." } },
  });
  const recording = recordRun(session);
  await session.run("Go");
  const seen: unknown[] = [];
  const watch = defineHooks("watch", { preGenerate: ({ meta }) => void seen.push(meta.modelId) });
  expect((await replayRun(recording.toJSON(), { hooks: [watch] })).differences).toEqual([]);
  expect(seen).toEqual(["big", "small", "big"]);
});

test("only the session's own runs are recorded, from then on, and none any more when it was stopped", async () => {
  const engine = await openEngine(["One.", "Two.", "Three.", "Four."]);
  const session = engine.session({ temperature: 0 });
  await session.run("Before");
  const recording = recordRun(session);
  await session.run("First");
  await engine.session().run("Another");
  await engine.generate("Nothing");
  const fork = session.fork();
  await fork.run("Fork");
  recording.stop();
  const before = engine.hooks.list().length;
  await session.run("After");
  const { runs, options, history, calls: said } = recording.toJSON();
  expect(runs.map(({ input }) => input)).toEqual(["First"]);
  expect(said.map(({ content }) => content)).toEqual(["Two."]);
  expect((options["history"] as unknown[]).length).toBe(2);
  expect([history.length, before]).toEqual([4, 0]);
  expect((await replayRun(recording.toJSON())).same).toBe(true);
});

test("a replay of a long run has room for it", async () => {
  const words = Array.from({ length: 15_000 }, (_, index) => `w${index % 97}`).join(" ");
  const recorded = await record({ script: ["Short."], inputs: ["Go"] });
  const long = JSON.parse(JSON.stringify(recorded.recording).replaceAll("Short.", words)) as Recording;
  const { differences } = await replayRun(long);
  expect(differences).toEqual([]);
});

test("a replay can be cancelled", async () => {
  const recorded = await record({ script: [asks("Oslo"), "Done."] });
  const controller = new AbortController();
  const hooks = [defineHooks("abort", { preToolCall: () => controller.abort() })];
  expect(await rejection(recorded.replay({ hooks, signal: controller.signal }))).toMatchObject({ code: "CANCELLED" });
});

test("a file is there whole or as it was, for its owner alone; what is wrong with one is said, and where", async () => {
  const recorded = await record({ script: ["Hi."] });
  expect((await stat(recorded.file)).mode & 0o777).toBe(0o600);
  const folder = await tempDir();
  const file = path.join(folder, "bad.json");
  const cases: [unknown, string][] = [
    ["{", "is no recording: "],
    ["[]", "it is no llama-hooks recording"],
    [{ ...recorded.recording, version: 2 }, "it is of version 2; this reads 1"],
    [
      { ...recorded.recording, runs: [{ input: 1, options: {}, error: { code: "A", message: "b" } }] },
      "/runs/0/input must be string",
    ],
    [{ ...recorded.recording, more: 1 }, "/ must NOT have additional properties: more"],
  ];
  for (const [value, why] of cases) {
    await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
    expect(await rejection(replayRun(file))).toMatchObject({
      code: "RECORDING_INVALID",
      message: expect.stringContaining(why) as string,
    });
  }
  expect(await rejection(readRecording(path.join(folder, "none.json")))).toMatchObject({ code: "NOT_FOUND" });
  const engine = await openEngine(["Hi."]);
  const recording = recordRun(engine.session());
  const blocked = path.join(folder, "folder");
  await mkdir(blocked);
  expect(await rejection(recording.save(blocked))).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect((await readdir(folder)).sort()).toEqual(["bad.json", "folder"]);
  expect(() => recordRun({} as never)).toThrow("The argument of recordRun() must be a session, got an object");
});
