// Recordings of sessions that wait, are rewound, change their tools, are stopped, or receive texts of hooks: they are
// replayed without a difference, and a hook's change is a difference.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  defineHooks,
  type HookSet,
  readRecording,
  recordRun,
  type RunOptions,
  type Session,
  type SessionOptions,
  tool,
} from "../../src/index.js";
import { replayRun } from "../../src/testing/index.js";
import { openEngine, type Script, tempDir } from "../support/engine.js";
import { expectSame, type Recorded } from "../support/recordings.js";
import { asks, bare, calls, clock, tools, weather } from "../support/sessions.js";

interface Play {
  readonly script: Script;
  readonly options?: SessionOptions;
  readonly hooks?: HookSet[];
  readonly raw?: boolean;
}

/** Records what `work` does with a session. */
async function recorded(
  { script, options, hooks = [], raw = false }: Play,
  work: (session: Session) => PromiseLike<unknown>,
): Promise<Recorded> {
  const engine = await openEngine(script);
  engine.hooks.use(hooks);
  const session = engine.session({ tools, temperature: 0, ...options });
  const recording = recordRun(session, { raw });
  await work(session);
  const file = path.join(await tempDir(), "run.json");
  await recording.save(file);
  const history = JSON.stringify(bare(session.history()));
  await engine.close();
  return { file, recording: await readRecording(file), history, replay: (given) => replayRun(file, given) };
}

const last = (session: Session): string => session.history().at(-1)?.id ?? "none";

test.each([false, true])("additionalContext at userMessage: the input is what the user said (raw: %s)", async (raw) => {
  const hooks = [
    defineHooks("notes", {
      userMessage: ({ content }) => ({ additionalContext: [`about ${content}`, "and more"] }),
      postToolCall: () => ({ additionalContext: ["about a result"] }),
    }),
  ];
  const play = await recorded({ script: [asks("Oslo"), "Cold.", "Warm."], hooks, raw }, async (session) => {
    await session.run("Hello");
    session.queue("Queued");
    await session.run("Again");
  });
  expect(play.recording.runs.map(({ input }) => input)).toEqual(["Hello", "Again"]);
  expect(play.recording.options["history"]).toBeUndefined();
  await expectSame(play, hooks);
  expect((await play.replay()).same).toBe(false);
});

test("a run that stopWhen ends", async () => {
  const stopWhen: RunOptions["stopWhen"] = ({ iteration }) => iteration === 2;
  const script = [asks("Oslo"), asks("Rome"), "Cold.", "More."];
  const play = await recorded({ script }, async (session) => {
    expect((await session.run("Go", { stopWhen })).iterations).toBe(2);
    await session.run("Go on");
  });
  expect(play.recording.runs.map(({ stopped }) => stopped)).toEqual([2, undefined]);
  await expectSame(play);
});

test("a hook that is only called stopWhen is none", async () => {
  const hooks = [
    defineHooks("stopWhen", { iterationEnd: ({ iteration }) => (iteration === 1 ? { complete: true } : undefined) }),
  ];
  const play = await recorded({ script: [asks("Oslo"), "Cold."], hooks }, (session) => session.run("Go"));
  expect(play.recording.runs.map(({ stopped }) => stopped)).toEqual([undefined]);
  await expectSame(play, hooks);
  expect((await play.replay()).same).toBe(false);
});

test.each([
  ["in between", 2],
  ["the beginning", 0],
])("rewind() between runs, to %s", async (_, kept) => {
  const script = [asks("Oslo"), "One.", "Two.", "Three.", "Four."];
  const play = await recorded({ script }, async (session) => {
    const first = await session.run("a");
    await session.run("b");
    session.rewind(last(session));
    session.rewind(kept === 0 ? null : (first.messages.at(-1)?.id ?? "none"));
    await session.run("c");
    await session.run("d");
  });
  expect(play.recording.runs.map(({ rewind }) => rewind)).toEqual([undefined, undefined, kept && 4, undefined]);
  await expectSame(play);
});

test("rewind() of a session that had a history, and was compacted, before the recording", async () => {
  const engine = await openEngine({ replies: ["One."], afterLast: "repeat" });
  const session = engine.session({ temperature: 0 });
  await session.run("a");
  await session.run("b");
  await session.compact({ strategy: "truncate" });
  const recording = recordRun(session);
  const { messages } = await session.run("c");
  await session.run("d");
  session.rewind(messages.at(-1)?.id ?? "none");
  await session.run("e");
  const { differences, history } = await replayRun(recording.toJSON());
  expect(differences).toEqual([]);
  expect(history).toEqual(bare(session.history()));
});

test("setTools() and setTiers(), between runs and during one", async () => {
  const loud = tool({ name: "loud", run: () => "LOUD" });
  const script = [asks("Oslo"), calls("loud"), "One.", calls("clock"), "Two."];
  const play = await recorded({ script, options: { tools: [weather] } }, async (session) => {
    const stop = session.hooks.on("postToolCall", ({ toolName }) => {
      if (toolName === "weather") session.setTools([weather, loud]);
    });
    await session.run("a");
    stop.dispose();
    session.setTools([clock]);
    session.setTiers({ helper: { system: "Help." } });
    await session.run("b");
  });
  expect(play.recording.changes?.map(({ run, iteration, tools: now }) => [run, iteration, now?.length])).toEqual([
    [1, 1, 2],
    [2, 0, 1],
    [2, 0, undefined],
  ]);
  const { runs } = await expectSame(play);
  expect(runs.flatMap((run) => ("toolCalls" in run ? run.toolCalls.map(({ result }) => result) : []))).toEqual([
    "Oslo: 4 degrees",
    "LOUD",
    "noon",
  ]);
});

const defers = (...names: string[]): HookSet[] => [
  defineHooks("defers", {
    permissionCheck: ({ toolName }) => (names.includes(toolName) ? { defer: true } : undefined),
  }),
];

test.each([
  ["allow", "allow"],
  ["deny", { deny: "not today" }],
  ["other arguments", { args: { city: "Rome" } }],
  ["cancel", "cancel"],
  ["who allows it", { allow: true, by: "Ada" }],
  ["who changes the arguments", { args: { city: "Rome" }, by: "Ada" }],
  ["who denies it", { deny: true, by: "Ada" }],
  ["who denies it, and why", { deny: "not today", by: "Ada" }],
  ["who cancels it", { cancel: true, by: "Ada" }],
  ["arguments that do not fit", { args: { town: 1 } }],
] as const)("a run that waits, and resume() with %s", async (_, answer) => {
  const hooks = defers("weather");
  const play = await recorded({ script: [asks("Oslo"), "Cold.", "Warm."], hooks }, async (session) => {
    const { waiting } = await session.run("a");
    session.queue("And Rome?");
    await session.resume({ [waiting?.[0]?.id ?? "none"]: answer });
    await session.run("b");
  });
  expect(play.recording.runs.map(({ outcome }) => outcome?.finishReason)).toContain("waiting");
  expect(play.recording.runs[1]?.resume).toEqual([{ call: 1, answer }]);
  await expectSame(play, hooks);
  expect((await play.replay()).same).toBe(false);
});

test("tools and tiers that a replay refuses before the first iteration are differences, as those during one", async () => {
  const loud = tool({ name: "loud", run: () => "LOUD" });
  const options = { tools: [weather, loud], tiers: { helper: { tools: ["loud"] } } };
  const play = await recorded({ script: [asks("Oslo"), "One."], options }, (session) => session.run("a"));
  const forged = (iteration: number) => ({
    ...play.recording,
    changes: [{ run: 1, iteration, tools: play.recording.tools.slice(0, 1) }],
  });
  const { differences: before } = await replayRun(forged(0));
  expect(before[0]).toMatchObject({ run: 1, what: "tools", replayed: { error: "INVALID_ARGUMENT" } });
  const { differences: during } = await replayRun(forged(1));
  expect(during[0]).toMatchObject({ run: 1, what: "tools", replayed: { error: "INVALID_ARGUMENT" } });
});

test("a run that waits is the last of its recording, or is left by rewind()", async () => {
  const hooks = defers("weather");
  const script = [asks("Oslo"), "Cold."];
  const waits = await recorded({ script, hooks }, async (session) => session.run("a"));
  await expectSame(waits, hooks);
  const left = await recorded({ script, hooks }, async (session) => {
    await session.run("a");
    session.rewind(null);
    await session.run("b");
  });
  await expectSame(left, hooks);
});

test("two calls wait, and are answered one after the other", async () => {
  const hooks = defers("weather", "clock");
  const script = [{ text: "", toolCalls: [...asks("Oslo").toolCalls, { name: "clock", args: {} }] }, "Done."];
  const play = await recorded({ script, hooks }, async (session) => {
    const { waiting = [] } = await session.run("a");
    const clocks = await session.resume({ [waiting[1]?.id ?? "none"]: "allow" });
    await session.resume({ [clocks.waiting?.[0]?.id ?? "none"]: "allow" });
  });
  expect(play.recording.runs.map(({ resume }) => resume?.map(({ call }) => call))).toEqual([undefined, [2], [1]]);
  await expectSame(play, hooks);
});

test.each([false, true])("calls that wait are recorded with the runs that they link (raw: %s)", async (raw) => {
  const hooks = [
    ...defers("weather"),
    defineHooks("masks", { postToolCall: ({ result }) => ({ result: result.replace("4", "[some]") }) }),
    defineHooks("judge", {
      permissionCheck: ({ answered }) =>
        answered?.by === "Eve" ? { permission: "deny", reason: "not Eve" } : undefined,
    }),
  ];
  const script = [asks("Oslo"), asks("Rome"), "Cold.", asks("Bonn"), "Warm."];
  const play = await recorded({ script, hooks, raw }, async (session) => {
    await session.run("a");
    for (const by of ["Ada", "Eve"]) {
      const [call] = session.waiting;
      await session.resume({ [call?.id ?? "none"]: { allow: true, by } }, { maxTokens: 50, tags: { by } });
    }
    await session.run("b", { tags: { by: "none" } });
    session.setTools([clock]);
    await session.resume({ [session.waiting[0]?.id ?? "none"]: "allow" });
  });
  const ends = play.recording.runs.map(({ resumes, outcome }) => [resumes, outcome?.finishReason]);
  expect(ends).toEqual([
    [undefined, "waiting"],
    [1, "waiting"],
    [1, "complete"],
    [undefined, "waiting"],
    [4, "complete"],
  ]);
  await expectSame(play, hooks);
  expect((await play.replay({ hooks: hooks.slice(0, 2) })).differences[0]).toMatchObject({
    run: 3,
    what: "tool call 1: weather",
  });
});

test("a run that continues with one from before the recording is not recorded; the next one is", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold.", "Warm."]);
  const session = engine.session({ tools, temperature: 0 });
  session.hooks.use(defers("weather"));
  const { waiting } = await session.run("a");
  const recording = recordRun(session);
  await session.resume({ [waiting?.[0]?.id ?? "none"]: "allow" });
  await session.run("b");
  expect(recording.toJSON().runs.map(({ input }) => input)).toEqual(["b"]);
  expect((await replayRun(recording.toJSON())).differences).toEqual([]);
});

test("parts of results are recorded, unless a hook replaced the result", async () => {
  const draws = tool({ name: "draws", run: () => ({ text: "a picture", parts: [{ type: "image", data: "secret" }] }) });
  const seen: unknown[] = [];
  const looks = [defineHooks("looks", { postToolCall: ({ parts }) => void seen.push(parts) })];
  const script = [calls("draws"), "Done."];
  const play = await recorded({ script, options: { tools: [draws] }, hooks: looks }, (session) => session.run("a"));
  await expectSame(play, looks);
  expect(seen).toEqual([[{ type: "image", data: "secret" }], [{ type: "image", data: "secret" }]]);
  for (const hook of [
    defineHooks("masks", { postToolCall: () => ({ result: "masked" }) }),
    defineHooks("masks", { toolResultPersist: () => ({ result: "masked" }) }),
  ]) {
    const masked = await recorded({ script, options: { tools: [draws] }, hooks: [hook] }, (session) =>
      session.run("a"),
    );
    expect(await readFile(masked.file, "utf8")).not.toContain("secret");
    await expectSame(masked, [hook]);
  }
});

test("a recording that answers no call, or goes back to no message, is refused or a difference", async () => {
  const play = await recorded({ script: ["One.", "Two."] }, async (session) => {
    await session.run("a");
    await session.run("b");
  });
  const [one, two] = play.recording.runs;
  const edited = (second: object) => replayRun({ ...play.recording, runs: [one, { ...two, ...second }] as never });
  const wrong = { code: "RECORDING_INVALID" };
  await expect(edited({ resume: [] })).rejects.toMatchObject(wrong);
  await expect(edited({ rewind: -1 })).rejects.toMatchObject(wrong);
  expect((await edited({ rewind: 99 })).differences).toMatchObject([{ run: 2, what: "rewind" }]);
  await expect(edited({ resume: [{ call: 1, answer: "allow" }] })).rejects.toMatchObject(wrong);
  await writeFile(play.file, JSON.stringify({ ...play.recording, changes: [{ run: 1, iteration: 0, tools: [{}] }] }));
  await expect(readRecording(play.file)).rejects.toMatchObject(wrong);
});
