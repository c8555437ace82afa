// Whose sessions they are, how many there may be, what they cost, and where they are kept.
import { expect, test } from "vitest";
import { type SessionTool, tool } from "../../src/index.js";
import { createHandler, serve, type ServeOptions } from "../../src/server/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { agents, openSessions } from "../support/http/sessions.js";
import { asks, calls } from "../support/sessions.js";

const ann = { key: "ann-has-this-key-of-her-own", name: "ann" };
const bob = { key: "bob-has-this-key-of-his-own", name: "bob" };
const forever = { replies: ["Hello there."], afterLast: "repeat" } as const;

test("a session belongs to its key alone", async () => {
  const { ask, opened, run } = await openSessions([asks("Oslo"), "Done."], {}, { keys: [ann, bob] });
  const path = await opened(ann.key);
  const stream = await run(path, "Hello", ann.key);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  const tries: [string, string, unknown?][] = [
    ["GET", path],
    ["DELETE", path],
    ["GET", `${path}/history`],
    ["POST", `${path}/runs`, { input: "Hi" }],
    ["POST", `${path}/fork`, {}],
    ["POST", `${path}/cancel`, {}],
    ["GET", `${path}/questions`],
    ["POST", `${path}/questions/${question.id}`, { allow: true }],
  ];
  for (const [method, at, body] of tries) {
    const other = await ask(method, at, body, bob.key);
    expect(other, `${method} ${at}`).toMatchObject({ status: 404, body: { error: { code: "session_not_found" } } });
    expect((await ask(method, at, body)).status).toBe(401);
  }
  expect((await ask("GET", "/sessions", undefined, bob.key)).body).toEqual({ sessions: [] });
  expect((await ask("POST", `${path}/questions/${question.id}`, { allow: false }, ann.key)).status).toBe(200);
  await stream.next("end");
});

test("calls of a run have the tags of the key, the session's user and the request", async () => {
  const { ask, engine } = await openSessions(forever, {}, { keys: [ann] });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ meta }) => void seen.push(meta.tags));
  const { body } = await ask("POST", "/sessions", { user: "u-7" }, ann.key);
  const path = `/sessions/${(body as { id: string }).id}`;
  await ask("POST", `${path}/runs`, { input: "Hi", stream: false }, ann.key);
  expect(seen).toEqual([{ key: "ann", user: "u-7", request: expect.stringMatching(/^[\da-f-]{36}$/) as string }]);
});

test("sessions are counted by key and in all, requests at once included", async () => {
  const limits = { limit: 3, limitPerKey: 2 };
  const { ask, opened } = await openSessions(forever, limits, { keys: [ann, bob] });
  const at = await opened(ann.key);
  const more = await Promise.all([0, 1, 2].map(() => ask("POST", "/sessions", {}, ann.key)));
  expect(more.map(({ status }) => status).toSorted()).toEqual([201, 429, 429]);
  expect(more.find(({ status }) => status === 429)).toMatchObject({ body: { error: { code: "too_many_sessions" } } });
  expect((await ask("POST", `${at}/fork`, {}, ann.key)).status).toBe(429);
  expect((await ask("POST", "/sessions", {}, bob.key)).status).toBe(201);
  expect((await ask("POST", "/sessions", {}, bob.key)).status).toBe(429);
  await ask("DELETE", at, undefined, ann.key);
  expect((await ask("POST", "/sessions", {}, bob.key)).status).toBe(201);
});

test("runs are paid from the budget of the key, model call by model call, also one that fails", async () => {
  const reads = tool({ name: "reads", run: () => "too much for this context ".repeat(1000) }) as SessionTool;
  const small = { tools: [reads], compaction: "off", temperature: 0 } as const;
  const keys = [{ ...ann, tokensPerMinute: 1 }];
  const { ask, opened, engine } = await openSessions([calls("reads"), "Done."], { agents: { small } }, { keys });
  expect(engine.models.list()[0]?.contextSize).toBeLessThan(5000);
  const path = await opened(ann.key);
  const failed = await ask("POST", `${path}/runs`, { input: "Hi", stream: false }, ann.key);
  expect(failed).toMatchObject({ status: 400, body: { error: { code: "context_length_exceeded" } } });
  expect(await ask("POST", "/sessions", {}, ann.key)).toMatchObject({
    status: 429,
    body: { error: { code: "tokens_exceeded" } },
  });
});

test("an answer gets through although its run has the only place of the key", async () => {
  const keys = [{ ...ann, maxConcurrent: 1 }];
  const { ask, opened, run } = await openSessions([asks("Oslo"), "Done."], {}, { keys, maxRequests: 1 });
  const path = await opened(ann.key);
  const stream = await run(path, "Hello", ann.key);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  expect((await ask("POST", `${path}/runs`, { input: "Hi" }, ann.key)).status).toBe(429);
  const huge = { allow: true, reason: "x".repeat(2 ** 20) };
  expect((await ask("POST", `${path}/questions/${question.id}`, huge, ann.key)).status).toBe(413);
  expect((await ask("POST", `${path}/questions/${question.id}`, { allow: true }, ann.key)).status).toBe(200);
  await stream.next("end");
});

test("stored sessions go on after a restart, for their key and their agent alone", async () => {
  const sessionStore = await tempDir();
  const stored = { agents, stored: true, limitPerKey: 2, limit: 2 };
  const first = await openSessions(forever, stored, { keys: [ann, bob] }, { sessionStore });
  const path = await first.opened(ann.key);
  await first.ask("POST", `${path}/runs`, { input: "Remember me", stream: false }, ann.key);
  const gone = await first.opened(ann.key);
  expect((await first.ask("DELETE", gone, undefined, ann.key)).status).toBe(200);
  await first.server.close();
  await first.engine.close();

  const second = await openSessions(forever, stored, { keys: [ann, bob] }, { sessionStore });
  expect((await second.ask("GET", "/sessions", undefined, ann.key)).body).toMatchObject({
    sessions: [{ id: path.replace("/sessions/", ""), agent: "helper", running: false }],
  });
  expect((await second.ask("GET", "/sessions", undefined, bob.key)).body).toEqual({ sessions: [] });
  expect((await second.ask("GET", `${path}/history`, undefined, bob.key)).status).toBe(404);
  const both = await Promise.all([0, 1].map(() => second.ask("GET", `${path}/history`, undefined, ann.key)));
  for (const { status, body } of both)
    expect([status, (body as { messages: { content: string }[] }).messages[0]?.content]).toEqual([200, "Remember me"]);
  await second.opened(ann.key);
  expect((await second.ask("POST", "/sessions", {}, ann.key)).status).toBe(429); // stored ones count
  await second.opened(bob.key); // a stored one that is idle makes room
  expect((await second.ask("GET", `${path}/history`, undefined, ann.key)).status).toBe(200);
  await second.server.close();

  const keyless = await serve(second.engine, { port: 0, sessions: stored });
  const { sessions } = (await (await fetch(`${keyless.origin}/sessions`)).json()) as { sessions: unknown[] };
  expect(sessions).toEqual([]);
  await keyless.close();
});

test("a stored session whose agent is gone is refused, and can be deleted", async () => {
  const sessionStore = await tempDir();
  const first = await openSessions(forever, { stored: true }, {}, { sessionStore });
  const path = await first.opened();
  await first.server.close();
  await first.engine.close();
  const second = await openSessions(forever, { stored: true, agents: { other: {} } }, {}, { sessionStore });
  expect(await second.ask("GET", path)).toMatchObject({ status: 409, body: { error: { code: "agent_not_found" } } });
  expect((await second.ask("DELETE", path)).status).toBe(200);
  expect((await second.ask("GET", path)).status).toBe(404);
});

test("wrong options of sessions are TypeErrors that name them", async () => {
  const engine = await openEngine(["Hello."]);
  const cases: [unknown, RegExp][] = [
    [5, /serve\(\) options\.sessions must be an object/],
    [{}, /sessions\.agents must be an object/],
    [{ agents: {} }, /at least one agent/],
    [{ agents: { "a b": {} } }, /has the name "a b"/],
    [{ agents: { a: 5 } }, /agents\.a must be an object/],
    [{ agents: { a: { id: "one" } } }, /must not have id/],
    [{ agents, questions: {} }, /questions must be a list of questions\(\)/],
    [{ agents, limit: 0 }, /limit must be/],
    [{ agents, idle: 5 }, /has no key "idle"; did you mean "idleMs"/],
  ];
  for (const [sessions, message] of cases) {
    const failed = serve(engine, { port: 0, sessions } as ServeOptions);
    await expect(failed).rejects.toThrow(TypeError);
    await expect(serve(engine, { port: 0, sessions } as ServeOptions)).rejects.toThrow(message);
  }
});

test.each([
  ["agents.files.temperature", { agents: { files: { temperature: -1 } } }],
  ["agents.files.tools[0].run", { agents: { ok: {}, files: { tools: [{ name: "x" }] } } }],
  ["agents.files.colour", { agents: { files: { colour: "red" } } }],
  ["agents.files.permissions[0].bogus", { agents: { files: { permissions: [{ allow: "*", bogus: 1 }] } } }],
  ["agents", { agents: { "hf:user/repo": { temperature: -1 } } }],
  ["stored", { agents: { files: {} }, stored: true }],
])("a wrong option %s of an agent is a TypeError when the server is made", async (param, sessions) => {
  const engine = await openEngine(forever);
  const fired: string[] = [];
  engine.hooks.on("sessionStart", () => void fired.push("start"), { observe: true });
  engine.hooks.on("sessionEnd", () => void fired.push("end"), { observe: true });
  const thrown = [
    await rejection(serve(engine, { port: 0, sessions } as ServeOptions)),
    await rejection(Promise.resolve().then(() => createHandler(engine, { sessions } as ServeOptions))),
  ];
  for (const error of thrown) {
    expect(error).toBeInstanceOf(TypeError);
    expect((error as { param?: string }).param).toMatch(
      new RegExp(`^sessions\\.${param.replaceAll(/[.[\]]/g, "\\$&")}`),
    );
    expect((error as Error).message).toContain(param.split(".").slice(0, 2).join("."));
  }
  createHandler(engine, { sessions: { agents: { files: {} } } });
  await engine.close();
  expect(fired).toEqual([]);
});
