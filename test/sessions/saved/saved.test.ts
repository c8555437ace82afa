import { execFile } from "node:child_process";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Engine, type SessionOptions, tool } from "../../../src/index.js";
import { recordHooks } from "../../../src/testing/index.js";
import { script } from "../../fixtures/child.js";
import { openEngine, rejection, scriptModel, tempDir } from "../../support/engine.js";
import { bare, asks, calls, directs, tools } from "../../support/sessions.js";

const options = { tools, system: "Be brief.", temperature: 0 } satisfies SessionOptions;
const open = (): Promise<Engine> => openEngine([asks("Oslo"), "It is cold in Oslo.", "Still cold.", "And now?"]);
const place = async (): Promise<string> => path.join(await tempDir(), "session.json");

test("a saved session continues where it stopped, with nothing done again", async () => {
  const engine = await open();
  const file = await place();
  const session = engine.session(options);
  await session.run("How is Oslo?");
  await session.save(file);
  await session.close();

  const recording = recordHooks(engine);
  const restored = engine.restoreSession(file, options);
  expect(restored.id).not.toBe(session.id);
  const histories: unknown[] = [];
  engine.hooks.on("sessionStart", ({ history }) => void histories.push(history));
  const { text, messages, usage } = await restored.run("And today?");
  expect(text).toBe("Still cold.");
  expect(messages.length).toBe(2);
  expect(restored.history().length).toBe(6);
  expect(histories).toEqual([bare(restored.history().slice(0, 4))]);
  expect(recording.names()).not.toContain("preToolCall");
  expect(usage.cachedTokens).toBeGreaterThan(20);
});

test("the file is its owner's alone, whole, and replaces what was there only when it is", async () => {
  const engine = await open();
  const file = await place();
  await writeFile(file, "something else");
  const session = engine.session(options);
  await session.save(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
    format: "llama-hooks session",
    version: 1,
    id: session.id,
  });
  await expect(session.save(path.join(file, "below"))).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("cannot write") as string,
  });
  await expect(session.save(7 as never)).rejects.toThrow("The path of save() must be");
});

test("what is not a regular file is neither replaced nor read", async () => {
  const engine = await open();
  const session = engine.session(options);
  const folder = await tempDir();
  const pipe = path.join(folder, "pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  for (const file of [pipe, folder]) {
    await expect(session.save(file)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `cannot write ${file}: it is no regular file`,
    });
    expect(() => engine.restoreSession(file, options)).toThrow(`cannot read ${file}: it is no regular file`);
  }
  expect((await stat(pipe)).isFIFO()).toBe(true);
});

test("a session can be saved while it runs: never with a tool call that has no result", async () => {
  const engine = await open();
  const file = await place();
  const session = engine.session(options);
  const saved: number[] = [];
  for (const point of ["postToolCall", "iterationEnd", "loopEnd"] as const)
    engine.hooks.on(point, async () => {
      await session.save(file);
      saved.push(
        (JSON.parse(await readFile(file, "utf8")) as { conversation: { messages: unknown[] } }).conversation.messages
          .length,
      );
    });
  await session.run("How is Oslo?");
  expect(saved).toEqual([3, 3, 4, 4]);
});

test("tiers, conversations with them, todos, anchors and phases are saved, and a child can be resumed", async () => {
  const engine = await openEngine({
    replies: [
      {
        toolCalls: [
          ...calls("delegate", { tier: "coder", task: "Write." }).toolCalls,
          ...calls("todo", { todos: [{ content: "Eat", status: "pending" }] }).toolCalls,
        ],
      },
      calls("directs", {
        directives: [
          { type: "context_anchor", params: { key: "goal", content: "The goal is A." } },
          { type: "tier_change", params: { tier: "boss" } },
          { type: "phase_change", params: { phase: "late" } },
        ],
      }),
      "So far.",
      calls("delegate", { tier: "coder", task: "Mend.", resume: "coder-1" }),
      calls("directs", {
        directives: [{ type: "context_anchor", params: { key: "goal", content: "The goal is B." } }],
      }),
      "Done.",
    ],
    scripts: [{ when: "You code.", replies: ["Written.", "Mended."] }],
  });
  const whole = {
    tools: [directs],
    controlTools: ["delegate", "todo"],
    tier: "lead",
    tiers: { lead: {}, coder: { system: "You code." }, boss: {} },
    phases: { late: { seed: 9 } },
  } satisfies SessionOptions;
  const file = await place();
  const session = engine.session(whole);
  await session.run("Go");
  await session.save(file);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ tier, params, meta }) => void (meta.depth === 0 && seen.push([tier, params.seed])));
  const restored = engine.restoreSession(file, whole);
  const result = await restored.run("On");
  expect(result.messages.find(({ role }) => role === "tool")?.content).toBe("Mended.\n[conversation coder-1]");
  expect(seen).toEqual([0, 1, 2].map(() => ["boss", 9]));
  expect(
    restored
      .history()
      .filter(({ content }) => content.startsWith("The goal"))
      .map(({ content }) => content),
  ).toEqual(["The goal is B."]);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
    conversation: { todos: [{ content: "Eat" }] },
    children: { "coder-1": {} },
  });
});

test("what a hook has replaced is nowhere in the file, nor what it has not seen of a long result", async () => {
  const secret = "hunter2";
  const leaks = tool({ name: "leaks", run: () => `the key is ${secret}` });
  const long = tool({ name: "long", run: () => `${"x".repeat(300)} ${secret}` });
  const engine = await openEngine([
    {
      toolCalls: [
        { name: "leaks", args: {} },
        { name: "long", args: {} },
      ],
    },
    "Ok.",
  ]);
  engine.hooks.on("postToolCall", ({ result }) => ({ result: result.replaceAll(secret, "[redacted]") }));
  const session = engine.session({ tools: [leaks, long], maxResultBytes: 256, controlTools: ["context_inspect"] });
  await session.run("Go");
  const file = await place();
  await session.save(file);
  const text = await readFile(file, "utf8");
  expect(text).toContain("[redacted]");
  expect(text).not.toContain(secret);
});

test("a file that was cut off within a batch continues with a result for each call that says so", async () => {
  const engine = await open();
  const file = await place();
  const session = engine.session(options);
  await session.run("How is Oslo?");
  await session.save(file);
  const record = JSON.parse(await readFile(file, "utf8")) as { conversation: { messages: unknown[] } };
  record.conversation.messages.splice(2);
  await writeFile(file, JSON.stringify(record));
  const restored = engine.restoreSession(file, options);
  expect(restored.history().at(-1)).toMatchObject({
    role: "tool",
    toolName: "weather",
    content: "not run: the session was interrupted",
  });
  expect((await restored.run("Go on.")).text).toBe("It is cold in Oslo.");
});

test.each<[string, (text: string) => string, RegExp]>([
  ["cut off", (text) => text.slice(0, text.length / 2), /the session/],
  ["empty", () => "", /the session/],
  ["of another kind", () => '{"a": 1}', /it is no saved session/],
  ["an array", () => "[]", /it is no saved session/],
  [
    "from another version",
    (text) => text.replace('"version":1', '"version":2'),
    /version: it is of version 2, and this one reads version 1/,
  ],
  [
    "without its conversation",
    (text) => text.replace('"conversation":', '"conversatoin":'),
    /conversatoin|conversation/,
  ],
  [
    "with a message of an unknown role",
    (text) => text.replace('"role":"user"', '"role":"usher"'),
    /conversation\.messages: .*role/,
  ],
  [
    "with a result of no call",
    (text) => text.replace(/"tool_call_id":"[^"]+"/, '"tool_call_id":"call_x"'),
    /conversation\.messages/,
  ],
  ["with a number for a tier", (text) => text.replace('"tier":""', '"tier":7'), /conversation\.tier/],
  [
    "of a tier that there is not",
    (text) => text.replace('"tier":""', '"tier":"boss"'),
    /conversation\.tier: unknown tier boss; there are: none/,
  ],
  ["with sizes that are none", (text) => text.replace('"left_out":0', '"left_out":-1'), /conversation\.compactions/],
  [
    "with an original that is not text",
    (text) => text.replace('"originals":{}', '"originals":{"call_1":7}'),
    /conversation\.originals\.call_1/,
  ],
])("a file that is %s is SESSION_FILE_INVALID, with place and reason", async (_, edit, why) => {
  const engine = await open();
  const file = await place();
  const session = engine.session(options);
  await session.run("How is Oslo?");
  await session.save(file);
  const edited = edit(await readFile(file, "utf8"));
  await writeFile(file, edited);
  let thrown: unknown;
  try {
    engine.restoreSession(file, options);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: "SESSION_FILE_INVALID", message: expect.stringContaining(file) as string });
  expect((thrown as Error).message).toMatch(why);
  expect((await session.run("Still there?")).text).toBe("Still cold.");
});

test("a file that cannot be read is NOT_FOUND; options with a history are refused", async () => {
  const engine = await open();
  const file = await place();
  expect(() => engine.restoreSession(file)).toThrow(expect.objectContaining({ code: "NOT_FOUND" }) as Error);
  const session = engine.session(options);
  await session.save(file);
  await chmod(file, 0o600);
  expect(() => engine.restoreSession(file, { history: [{ role: "user", content: "Hi" }] })).toThrow(
    /brings its history/,
  );
  expect(() => engine.restoreSession(7 as never)).toThrow(/The path of restoreSession\(\) must be/);
});

test("a fork goes its own way, and shares what both begin with", async () => {
  const engine = await open();
  const session = engine.session(options);
  await session.run("How is Oslo?");
  const fork = session.fork();
  const [one, other] = await Promise.all([session.run("And today?"), fork.run("And tomorrow?")]);
  expect(other.usage.cachedTokens).toBeGreaterThan(20);
  expect([one.text, other.text]).toEqual(["Still cold.", "Still cold."]);
  expect(session.history().at(-2)?.content).toBe("And today?");
  expect(fork.history().at(-2)?.content).toBe("And tomorrow?");
  await session.close();
  const third = await fork.run("And then?");
  expect(third.finishReason).toBe("complete");
  expect(await rejection(session.run("Hello?"))).toMatchObject({ code: "NOT_FOUND" });
});

test("the tools of a fork work when the first session is closed", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const session = engine.session(options);
  const fork = session.fork();
  await session.close();
  expect((await fork.run("How is Oslo?")).toolCalls).toMatchObject([{ result: "Oslo: 4 degrees" }]);
});

test("an anchor of a run that was cancelled right after it is kept, and the session can be forked", async () => {
  const anchor = { type: "context_anchor", params: { key: "goal", content: "The goal is A." } };
  const engine = await openEngine([calls("directs", { directives: [anchor] }), "Ok."]);
  const session = engine.session({ tools: [directs] });
  const stop = new AbortController();
  engine.hooks.on("toolResultPersist", async () => {
    session.fork();
    stop.abort(new Error("enough"));
  });
  const result = await session.run("Go", { signal: stop.signal });
  expect(result.finishReason).toBe("cancelled");
  expect(session.fork().history()).toEqual(session.history());
});

test("a folder is not a saved session", async () => {
  const engine = await open();
  const folder = await tempDir();
  expect(() => engine.restoreSession(folder)).toThrow(expect.objectContaining({ code: "NOT_FOUND" }) as Error);
});

test("a session that continues with another model says so in the log, once", async () => {
  const file = await place();
  const first = await scriptModel(["One.", "Two.", "Three.", "Four."]);
  const other = await scriptModel(["Quite another model, with other words.", "Two.", "Three.", "Four."]);
  const warned = async (model: string, how: string): Promise<number> => {
    const { stderr, code } = await script(
      `const engine = await createEngine({ model, ...onCpu, logLevel: "warn" });
      const session = ${how};
      for (const said of ["Hello", "And?"]) await session.run(said);
      await session.save(${JSON.stringify(file)});
      await engine.close();`,
      model,
    );
    expect(code).toBe(0);
    return stderr.split("was saved with another model or chat template").length - 1;
  };
  const restored = `engine.restoreSession(${JSON.stringify(file)})`;
  expect(await warned(first, "engine.session()")).toBe(0);
  expect(await warned(first, restored)).toBe(0);
  expect(await warned(other, restored)).toBe(1);
  const compacted = `${restored}; await session.compact()`;
  expect(await warned(first, compacted)).toBe(1);
  const later = `${restored}; await session.run("Hello"); await engine.models.unload("default");
      await engine.models.load("default", { path: ${JSON.stringify(other)}, threads: 1 })`;
  expect(await warned(first, later)).toBe(0);
});

test("what is queued is saved, and stays with the session that it was said to", async () => {
  const engine = await openEngine({ replies: ["I see."], afterLast: "repeat" });
  const file = await place();
  const session = engine.session({ temperature: 0 });
  session.queue("And be quick.");
  await session.save(file);
  const said = async (of: typeof session): Promise<string[]> =>
    (await of.run("Go")).messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(await said(engine.restoreSession(file, { temperature: 0 }))).toEqual(["Go", "And be quick."]);
  expect(await said(session.fork())).toEqual(["Go"]);
  expect(await said(session)).toEqual(["Go", "And be quick."]);
});

test("a fork reads on in a result that was cut; a restored session says that nothing is kept", async () => {
  const long = tool({ name: "long", run: () => "x".repeat(1000) });
  const engine = await openEngine([calls("long"), "Read.", calls("long"), "Well."]);
  const more = { tools: [long], temperature: 0, maxResultBytes: 256, controlTools: ["context_inspect"] } as const;
  const session = engine.session(more);
  const id = (await session.run("Go")).toolCalls[0]?.id ?? "";
  engine.hooks.on("preToolCall", () => ({ toolName: "context_inspect", args: { id, offset: 900 } }));
  const file = await place();
  await session.save(file);
  const read = async (of: typeof session) => (await of.run("Read on.")).toolCalls.map(({ result }) => result);
  expect(await read(session.fork())).toEqual(["x".repeat(100)]);
  expect(await read(engine.restoreSession(file, more))).toEqual([expect.stringContaining("nothing is kept")]);
});

test("a session whose run was halted is restored as it stood: nothing of the halted message is done", async () => {
  const engine = await open();
  const halting = engine.hooks.on("postGenerate", () => ({ halt: "not that" }));
  const file = await place();
  const session = engine.session(options);
  expect((await session.run("How is Oslo?")).halt).toMatchObject({ reason: "not that" });
  await session.save(file);
  halting.dispose();
  const recording = recordHooks(engine);
  const restored = engine.restoreSession(file, options);
  expect(restored.history()).toEqual(session.history());
  expect(restored.history().at(-1)).toMatchObject({ role: "tool", content: "refused: not that" });
  expect((await restored.run("And now?")).text).toBe("It is cold in Oslo.");
  expect(recording.names()).not.toContain("preToolCall");
});

test("a queued message that a run has heard and not answered yet is in the file once, as said", async () => {
  const engine = await openEngine([asks("Oslo"), "It is cold.", "Well."]);
  const file = await place();
  const session = engine.session(options);
  engine.hooks.on("postToolCall", () => void session.queue("And be quick."));
  engine.hooks.on("preGenerate", async ({ iteration }) => {
    if (iteration === 2) await session.save(file);
  });
  await session.run("How is Oslo?");
  engine.hooks.clear();
  const restored = engine.restoreSession(file, options);
  await restored.run("Go on.");
  const said = restored.history().filter(({ role }) => role === "user");
  expect(said.map(({ content }) => content)).toEqual(["How is Oslo?", "And be quick.", "Go on."]);
  expect(session.history().filter(({ content }) => content === "And be quick.")).toHaveLength(1);
});
