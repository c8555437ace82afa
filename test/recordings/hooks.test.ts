// A recording's account of changes by hooks, its replay, and its file.
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import {
  cancel,
  defineHooks,
  readRecording,
  type Recording,
  recordRun,
  type RunRecording,
  tool,
  type Tool,
} from "../../src/index.js";
import { redact } from "../../src/ready-hooks/index.js";
import { replayRun } from "../../src/testing/index.js";
import { amount } from "../support/amount.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { record, expectSame, type Scene, type Recorded } from "../support/recordings.js";
import { asks, calls, weather } from "../support/sessions.js";

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

test("what hooks have masked in directives is not in a recording, at whichever point they did", async () => {
  const notifies = tool({
    name: "notifies",
    trusted: true,
    run: (_, { directive }) => {
      for (const message of [secret, "stay", secret]) directive("notify", { message });
    },
  }) as Tool;
  const scene = { script: [calls("notifies"), "Done."], options: { tools: [notifies] } };
  const messagesIn = ({ recording: { results } }: Recorded): unknown[] =>
    results.flatMap(({ directives }) => directives.map(({ params }) => params["message"]));
  const masked = await record({ ...scene, hooks: [redact(secret, { mask: "#" })] });
  expect(messagesIn(masked)).toEqual(["#", "stay", "#"]);
  await expectSame(masked);
  const hook = defineHooks("own", {
    directive: ({ params }) => (params["message"] === secret ? { params: { message: "#" } } : undefined),
  });
  expect(messagesIn(await record({ ...scene, hooks: [hook] }))).toEqual(["#", "stay", "#"]);
  expect(messagesIn(await record({ ...scene, raw: true, hooks: [hook] }))).toEqual([secret, "stay", secret]);
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
  // The recording holds the text that streamToken hooks made of the model's words.
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

test("what a guard refuses, or a hook of the run that comes last masks, is in a raw recording only", async () => {
  const engine = await openEngine(["One.", "Two.", "Three."]);
  engine.hooks.guard("userMessage", ({ content }) => (content.startsWith("No") ? cancel("no") : undefined));
  const session = engine.session({ temperature: 0 });
  const [plain, raw] = [recordRun(session), recordRun(session, { raw: true })];
  const mask = (text: string): string => text.replace(secret, "#");
  const late = defineHooks(
    "late",
    {
      userMessage: ({ content }) => ({ content: mask(content) }),
      postGenerate: ({ content }) => ({ content: `${content} Bye.` }),
    },
    { priority: 2 ** 31 - 1 },
  );
  session.queue(`No ${secret}`);
  session.queue(`Queued ${secret}`);
  await session.run(`Hi ${secret}`, { hooks: late });
  await session.run(`No ${secret}`);
  await session.run("Bye");
  const kept = plain.toJSON();
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect(kept.runs.map(({ input }) => input)).toEqual(["Hi #", "Bye"]);
  expect(kept.queued).toEqual([{ run: 1, iteration: 0, content: "Queued #" }]);
  expect(kept.calls.map(({ content }) => content)).toEqual(["One. Bye.", "Two."]);
  expect((await replayRun(kept)).differences).toEqual([]);
  const all = raw.toJSON();
  expect(all.runs.map(({ input }) => input)).toEqual([`Hi ${secret}`, `No ${secret}`, "Bye"]);
  expect(all.queued.map(({ content }) => content)).toEqual([`No ${secret}`, `Queued ${secret}`]);
  expect(all.calls.map(({ content }) => content)).toEqual(["One.", "Two."]);
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
  const { scriptModel } = await import("../support/engine.js");
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

test("a session or an engine that is closed first leaves the recording, and no hooks", async () => {
  const engine = await openEngine(["One."]);
  const session = engine.session({ temperature: 0 });
  const recording = recordRun(session);
  await session.run("Hi");
  await session.close();
  const last = engine.session({ temperature: 0 });
  const other = recordRun(last);
  await last.run("Hi");
  expect(engine.hooks.list()).toEqual([]);
  await engine.close();
  for (const closed of [recording, other]) {
    closed.stop();
    closed[Symbol.dispose]();
    const file = path.join(await tempDir(), "closed.json");
    await closed.save(file);
    const { runs, history } = await readRecording(file);
    expect([runs.length, history.map(({ content }) => content)]).toEqual([1, ["Hi", "One."]]);
    expect((await replayRun(file)).differences).toEqual([]);
  }
});

test("one that begins while a run is under way begins after it, and one that ends in a run ends before it", async () => {
  const replies = [asks("Oslo"), "One.", asks("Oslo"), "Two.", asks("Oslo"), "Three."];
  for (const point of [undefined, "loopStart", "preToolCall", "loopEnd"] as const) {
    const engine = await openEngine(replies);
    const session = engine.session({ tools: [weather], temperature: 0 });
    let recording: RunRecording | undefined;
    if (point !== undefined) session.hooks.on(point, () => void (recording ??= recordRun(session)));
    const run = session.run("First");
    recording ??= point === undefined ? recordRun(session) : undefined;
    session.queue("And this.");
    await run;
    await session.run("Second");
    const begun = recording as RunRecording;
    session.hooks.on("preToolCall", () => begun.stop());
    await session.run("Third");
    const { runs, results, options, history } = begun.toJSON();
    expect([point, runs.map(({ input }) => input), results.length]).toEqual([point, ["Second"], 1]);
    expect([(options["history"] as unknown[]).length > 0, history.at(-1)?.content]).toEqual([true, "Two."]);
    expect((await replayRun(begun.toJSON())).differences).toEqual([]);
    await engine.close();
  }
});

test("a replay of a long run has room for it", async () => {
  const words = Array.from({ length: amount(5000, 15_000) }, (_, index) => `w${index % 97}`).join(" ");
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
