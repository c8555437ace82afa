// Runs whose clients leave, and servers that end while a run or a question waits: nothing is left over.
import { expect, onTestFinished, test } from "vitest";
import { createHandler, type Handler, type RequestRecord } from "../../src/server/index.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { postOf, rawTo } from "../support/http/raw-http.js";
import { agents, openSessions } from "../support/http/sessions.js";
import { asks } from "../support/sessions.js";

const script = [asks("Oslo"), "Done."];

/** Resolves with the record of the next run. */
function recording() {
  const [ended, records] = [gate(), [] as RequestRecord[]];
  const onRequest = (record: RequestRecord): void => {
    if (!record.path.endsWith("/runs")) return;
    records.push(record);
    ended.open();
  };
  return { onRequest, record: () => ended.passed.then(() => records[0] as RequestRecord) };
}

/** Sends requests to a handler. */
function clientOf(handler: Handler) {
  const headers = { "content-type": "application/json" };
  const post = (path: string, body: unknown): Promise<Response> =>
    handler(new Request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
  const opened = async (): Promise<string> =>
    `/sessions/${((await (await post("/sessions", {})).json()) as { id: string }).id}`;
  return { post, opened };
}

test("a client that leaves while a question waits cancels its run, and the session continues", async () => {
  const { onRequest, record } = recording();
  const { ask, opened, run } = await openSessions([asks("Oslo"), asks("Rome"), "Done."], {}, { onRequest });
  const path = await opened();
  const leaving = new AbortController();
  const stream = await run(path, "Hello", undefined, leaving.signal);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  leaving.abort();
  expect(await record()).toMatchObject({ cancelled: true, status: 200 });
  expect((await ask("GET", path)).body).toMatchObject({ running: false, questions: 0 });
  expect((await ask("POST", `${path}/questions/${question.id}`, { allow: true })).status).toBe(404);
  const again = await run(path);
  await again.next("question");
  await ask("POST", `${path}/cancel`, {});
  await again.next("end");
});

test.each(["preGenerate", "streamToken", "preToolCall"] as const)(
  "a client that leaves at %s cancels its run, streamed or not",
  async (point) => {
    for (const stream of [true, false]) {
      const { onRequest, record } = recording();
      const { ask, opened, engine, server } = await openSessions(
        [asks("Oslo"), "Done."],
        { agents: { open: { ...agents.helper, permissions: [{ allow: "*" }] } } },
        { onRequest },
      );
      const begun = gate();
      engine.hooks.on(
        point,
        ({ signal }: { readonly signal: AbortSignal }) => {
          begun.open();
          return new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
        },
        { once: true, deadlineMs: 0 },
      );
      const path = await opened();
      const raw = rawTo(server, postOf(`${path}/runs`, JSON.stringify({ input: "Hello", stream })));
      await begun.passed;
      raw.socket.destroy();
      expect((await record()).cancelled).toBe(true);
      expect((await ask("GET", path)).body).toMatchObject({ running: false, questions: 0 });
    }
  },
);

test("a client that leaves in the middle of its body leaves nothing", async () => {
  const { onRequest, record } = recording();
  const { ask, opened, server } = await openSessions(script, {}, { onRequest, maxRequests: 1 });
  const path = await opened();
  const raw = rawTo(server, postOf(`${path}/runs`, '{"inp', { "content-length": "500", expect: "100-continue" }));
  await raw.heard("100 Continue");
  raw.socket.destroy();
  expect((await record()).cancelled).toBe(true);
  expect((await ask("GET", path)).body).toMatchObject({ running: false });
  expect((await ask("POST", `${path}/cancel`, {})).status).toBe(200);
});

test("a reader that takes nothing is cut off, and its run is cancelled", async () => {
  const { onRequest, record } = recording();
  const replies = [{ pieces: [`${"x".repeat(50_000)} `], endless: true }];
  const { opened, server } = await openSessions({ replies }, {}, { onRequest, drainTimeoutMs: 100 });
  const raw = rawTo(server, postOf(`${await opened()}/runs`, JSON.stringify({ input: "Go" })));
  raw.socket.pause();
  const { cancelled, completionTokens } = await record();
  expect(cancelled).toBe(true);
  expect(completionTokens).toBeLessThan(4000);
});

test("comments keep a stream alive while a question waits", async () => {
  const { ask, opened, run } = await openSessions(script, {}, { keepAliveMs: 20 });
  const path = await opened();
  const stream = await run(path);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  const end = stream.next("end");
  await expect.poll(() => stream.comments.length).toBeGreaterThan(1);
  expect(stream.comments[0]).toBe(": waiting");
  await ask("POST", `${path}/questions/${question.id}`, { allow: true });
  await end;
});

test("a closing server lets a run go on within the grace, then cancels it and its question", async () => {
  const { opened, run, server, engine } = await openSessions(script);
  const closed: unknown[] = [];
  engine.hooks.on("sessionEnd", ({ meta }) => void closed.push(meta.sessionId));
  const path = await opened();
  await opened(); // an idle one, which is closed, too
  const stream = await run(path);
  await stream.next("question");
  const end = stream.next("end");
  await server.close(1);
  expect(await end).toMatchObject({ result: { finishReason: "cancelled" } });
  expect(closed).toHaveLength(2);
});

test("a question may be answered while a handler closes within its grace", async () => {
  const engine = await openEngine(script);
  const handler = createHandler(engine, { sessions: { agents } });
  const { post, opened } = clientOf(handler);
  const path = await opened();
  const asked = gate();
  engine.hooks.on("permissionCheck", () => asked.open());
  const run = post(`${path}/runs`, { input: "Go", stream: false });
  await asked.passed;
  const questions = async (): Promise<{ id: string }[]> => {
    const response = await handler(new Request(`http://localhost${path}/questions`));
    return ((await response.json()) as { questions: { id: string }[] }).questions;
  };
  await expect.poll(async () => (await questions()).length).toBe(1);
  const [question] = await questions();
  const closed = handler.close(60_000);
  expect((await post("/sessions", {})).status).toBe(503);
  expect((await post(`${path}/questions/${question?.id}`, { allow: true })).status).toBe(200);
  expect(await (await run).json()).toMatchObject({ finishReason: "complete", text: "Done." });
  await closed;
});

test("a session in which nothing happens is closed; one that runs stays", async () => {
  const engine = await openEngine(script);
  const ended: (string | null)[] = [];
  engine.hooks.on("sessionEnd", ({ meta }) => void ended.push(meta.sessionId));
  const handler = createHandler(engine, { sessions: { agents, idleMs: 1000 } });
  onTestFinished(() => handler.close());
  const { post, opened } = clientOf(handler);
  const busy = await opened();
  const run = post(`${busy}/runs`, { input: "Go", stream: false });
  const idle = await opened();
  await expect.poll(() => ended, { timeout: 30_000 }).toEqual([idle.replace("/sessions/", "")]);
  expect((await handler(new Request(`http://localhost${idle}`))).status).toBe(404);
  const view = (await (await handler(new Request(`http://localhost${busy}`))).json()) as object;
  expect(view).toMatchObject({ running: true, questions: 1 });
  expect((await post(`${busy}/cancel`, {})).status).toBe(200);
  expect((await run).status).toBe(200);
});

test("an engine that is closed meanwhile ends the stream with an error event", async () => {
  const { opened, run, engine, ask } = await openSessions(script);
  const path = await opened();
  const stream = await run(path);
  await stream.next("question");
  const rest = stream.rest();
  await engine.close();
  const last = (await rest).at(-1);
  expect(["end", "error"]).toContain(last?.type);
  expect((await ask("POST", `${path}/runs`, { input: "Hi" })).status).toBeGreaterThanOrEqual(400);
});
