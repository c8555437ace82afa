// Sessions over HTTP: agents of the server that clients open, run, ask and answer.
import { expect, test } from "vitest";
import { defineHooks } from "../../src/index.js";
import { agents, openSessions } from "../support/http/sessions.js";
import { asks, calls } from "../support/sessions.js";

test("a session is opened, run as events, shown and deleted", async () => {
  const { ask, opened, run } = await openSessions(["Hello there.", "And again."]);
  const path = await opened();
  const events = await (await run(path)).rest();
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  const types = events.map(({ type }) => type);
  expect(types).toContain("token");
  expect(types.at(-1)).toBe("end");
  const { type, result } = (events.at(-1)?.data ?? {}) as { type: string; result: Record<string, unknown> };
  expect([type, result["text"], result["finishReason"]]).toEqual(["end", "Hello there.", "complete"]);
  expect(Object.keys(result)).not.toContain("decisions");
  const whole = await ask("POST", `${path}/runs`, { input: "More", stream: false });
  expect(whole).toMatchObject({ status: 200, body: { text: "And again.", finishReason: "complete" } });
  const { body } = await ask("GET", `${path}/history`);
  expect((body as { messages: { role: string; content: string }[] }).messages.map(({ content }) => content)).toEqual([
    "Hello",
    "Hello there.",
    "More",
    "And again.",
  ]);
  const id = path.replace("/sessions/", "");
  expect((await ask("GET", path)).body).toMatchObject({ id, agent: "helper", running: false, questions: 0 });
  expect((await ask("GET", "/sessions")).body).toMatchObject({ sessions: [{ id }] });
  expect(await ask("DELETE", path)).toEqual({ status: 200, body: { id, deleted: true } });
  expect((await ask("GET", "/sessions")).body).toEqual({ sessions: [] });
  expect(await ask("GET", path)).toMatchObject({ status: 404, body: { error: { code: "session_not_found" } } });
});

test("a call waits for permission: the question is an event and in the list, the answer lets it run", async () => {
  const { ask, opened, run } = await openSessions([asks("Oslo"), asks("Rome"), "Done."]);
  const path = await opened();
  const stream = await run(path);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  const listed = await ask("GET", `${path}/questions`);
  expect(listed.body).toEqual({ questions: [question] });
  expect(question).toMatchObject({
    kind: "permission",
    toolName: "weather",
    args: { city: "Oslo" },
    rule: "ask weather",
  });
  expect((await ask("GET", path)).body).toMatchObject({ running: true, questions: 1 });
  const answered = await ask("POST", `${path}/questions/${question.id}`, { allow: true });
  expect(answered).toEqual({ status: 200, body: { id: question.id, answered: true } });
  expect(await stream.next("questionSettled")).toEqual({ type: "questionSettled", id: question.id, by: "answer" });
  const second = (await stream.next("question")) as { question: { id: string } };
  await ask("POST", `${path}/questions/${second.question.id}`, { allow: false, reason: "not there" });
  const { result } = (await stream.next("end")) as { result: { toolCalls: { result: string }[] } };
  expect(result.toolCalls.map((call) => call.result)).toEqual(["Oslo: 4 degrees", "denied: not there"]);
  expect((await ask("GET", `${path}/questions`)).body).toEqual({ questions: [] });
});

test("an answer is remembered; a tool's question for the user is answered with content that fits", async () => {
  const { ask, opened, run } = await openSessions([asks("Oslo"), asks("Rome"), calls("asks_user"), "Done."]);
  const path = await opened();
  const stream = await run(path);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  await ask("POST", `${path}/questions/${question.id}`, { allow: true, remember: "tool" });
  const input = (await stream.next("question")) as { question: { id: string; message: string; schema: object } };
  expect(input.question).toMatchObject({ kind: "input", message: "Which city?", schema: { type: "object" } });
  const at = `${path}/questions/${input.question.id}`;
  const wrong = await ask("POST", at, { action: "accept", content: { city: 5 } });
  expect(wrong).toMatchObject({ status: 400, body: { error: { param: "content", type: "invalid_request_error" } } });
  expect((await ask("POST", at, { action: "accept", content: { city: "Bonn" } })).status).toBe(200);
  const { result } = (await stream.next("end")) as { result: { toolCalls: { result: string }[] } };
  expect(result.toolCalls.map((call) => call.result)).toEqual(["Oslo: 4 degrees", "Rome: 4 degrees", "accept Bonn"]);
});

test("wrong answers are refused, and an answer comes once", async () => {
  const { ask, opened, run } = await openSessions([asks("Oslo"), "Done."]);
  const path = await opened();
  const stream = await run(path);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  const at = `${path}/questions/${question.id}`;
  for (const [body, param] of [
    [{}, "allow"],
    [{ allow: "yes" }, "allow"],
    [{ allow: true, remember: "all" }, "remember"],
    [{ allow: true, args: { city: "Rome" } }, "args"],
    [{ action: "accept" }, "action"],
  ] as const)
    expect(await ask("POST", at, body)).toMatchObject({ status: 400, body: { error: { param } } });
  for (const body of ["[]", "{", '"yes"']) expect((await ask("POST", at, body)).status).toBe(400);
  const [first, second] = [await ask("POST", at, { allow: true }), await ask("POST", at, { allow: false })];
  expect([first.status, second.status]).toEqual([200, 404]);
  expect(second.body).toMatchObject({ error: { code: "question_not_open" } });
  for (const id of ["none", "..%2f..%2fetc", "__proto__"])
    expect((await ask("POST", `${path}/questions/${id}`, { allow: true })).status).toBe(404);
  await stream.next("end");
});

test("a fork continues by itself, from any message", async () => {
  const { ask, opened } = await openSessions({ replies: ["One.", "Two."], afterLast: "repeat" });
  const path = await opened();
  await ask("POST", `${path}/runs`, { input: "First", stream: false });
  await ask("POST", `${path}/runs`, { input: "Second", stream: false });
  const texts = async (at: string): Promise<string[]> => {
    const { messages } = (await ask("GET", `${at}/history`)).body as { messages: { content: string }[] };
    return messages.map(({ content }) => content);
  };
  const { messages } = (await ask("GET", `${path}/history`)).body as { messages: { id: string }[] };
  const fork = await ask("POST", `${path}/fork`, { at: messages[1]?.id });
  expect(fork).toMatchObject({ status: 201, body: { agent: "helper", running: false } });
  const forked = `/sessions/${(fork.body as { id: string }).id}`;
  expect(await texts(forked)).toEqual(["First", "One."]);
  await ask("POST", `${forked}/runs`, { input: "Other", stream: false });
  expect(await texts(forked)).toEqual(["First", "One.", "Other", "Two."]);
  expect(await texts(path)).toEqual(["First", "One.", "Second", "Two."]);
  const whole = await ask("POST", `${path}/fork`, {});
  expect(await texts(`/sessions/${(whole.body as { id: string }).id}`)).toHaveLength(4);
  expect(await ask("POST", `${path}/fork`, { at: "none" })).toMatchObject({
    status: 400,
    body: { error: { param: "at" } },
  });
});

test("one run at a time: a second one is 409; a cancel ends the first", async () => {
  const { ask, opened, run } = await openSessions([asks("Oslo"), "Done."]);
  const path = await opened();
  const stream = await run(path);
  const { question } = (await stream.next("question")) as { question: { id: string } };
  for (const streams of [true, false])
    expect(await ask("POST", `${path}/runs`, { input: "Too", stream: streams })).toMatchObject({
      status: 409,
      body: { error: { code: "session_busy" } },
    });
  expect(await ask("POST", `${path}/cancel`, { reason: "enough" })).toEqual({ status: 200, body: { cancelled: 1 } });
  const rest = await stream.rest();
  expect(rest.map(({ type }) => type)).toContain("questionSettled");
  expect(rest.at(-1)?.data).toMatchObject({ result: { finishReason: "cancelled", cancel: { reason: "enough" } } });
  expect((await ask("POST", `${path}/questions/${question.id}`, { allow: true })).status).toBe(404);
  expect((await ask("POST", `${path}/cancel`, {})).body).toEqual({ cancelled: 0 });
});

test("a session that is deleted while it runs ends its run", async () => {
  const { ask, opened, run } = await openSessions([asks("Oslo"), "Done."]);
  const path = await opened();
  const stream = await run(path);
  await stream.next("question");
  expect((await ask("DELETE", path)).status).toBe(200);
  expect((await stream.next("end")) as object).toMatchObject({ result: { finishReason: "cancelled" } });
  expect((await ask("DELETE", path)).status).toBe(404);
});

test("a question without an answer in time is denied", async () => {
  const { ask, opened } = await openSessions([asks("Oslo"), "Done."], { questionMs: 20 });
  const { body } = await ask("POST", `${await opened()}/runs`, { input: "Go", stream: false });
  expect(body).toMatchObject({ finishReason: "complete", toolCalls: [{ resultKind: "rejected_permission" }] });
});

test("several agents: a request names one", async () => {
  const { ask } = await openSessions(["Hello."], { agents: { ...agents, other: { system: "Be short." } } });
  expect(await ask("POST", "/sessions", {})).toMatchObject({ status: 400, body: { error: { param: "agent" } } });
  for (const agent of ["none", "__proto__", "constructor", ""])
    expect(await ask("POST", "/sessions", { agent })).toMatchObject({
      status: 400,
      body: { error: { param: "agent" } },
    });
  expect(await ask("POST", "/sessions", { agent: "other" })).toMatchObject({ status: 201, body: { agent: "other" } });
});

test("a request cannot bring tools, a model, a system prompt or hooks", async () => {
  const { ask, opened } = await openSessions(["Hello."]);
  for (const name of ["tools", "model", "system", "hooks", "id", "history", "permissions", "__proto__"])
    expect(await ask("POST", "/sessions", `{"${name}": {}}`)).toMatchObject({ status: 400 });
  const path = await opened();
  for (const name of ["tools", "model", "system", "hooks", "plan", "temperature", "signal"])
    expect(await ask("POST", `${path}/runs`, { input: "Hi", [name]: "x" })).toMatchObject({
      status: 400,
      body: { error: { param: name } },
    });
  for (const input of [undefined, null, 5, ["Hi"]])
    expect(await ask("POST", `${path}/runs`, { input })).toMatchObject({
      status: 400,
      body: { error: { param: "input" } },
    });
  expect(await ask("POST", "/sessions", { user: "u".repeat(513) })).toMatchObject({ status: 400 });
});

test("without agents the paths say how to turn them on", async () => {
  const { ask } = await openSessions(["Hello."], {}, { sessions: undefined as never });
  for (const [method, path] of [
    ["GET", "/sessions"],
    ["POST", "/sessions"],
    ["GET", "/sessions/one/history"],
    ["DELETE", "/sessions/one"],
  ] as const) {
    const answer = await ask(method, path, method === "POST" ? {} : undefined);
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "sessions_off" } } });
    expect(JSON.stringify(answer.body)).toContain("the option sessions of serve()");
  }
});

test("a path takes its methods only", async () => {
  const { server } = await openSessions(["Hello."]);
  const allowed = async (path: string): Promise<unknown[]> => {
    const response = await fetch(`${server.origin}${path}`, { method: "PUT" });
    return [response.status, response.headers.get("allow")];
  };
  expect(await allowed("/sessions")).toEqual([405, "POST, GET"]);
  expect(await allowed("/sessions/one")).toEqual([405, "GET, DELETE"]);
  expect(await allowed("/sessions/one/runs")).toEqual([405, "POST"]);
  expect((await fetch(`${server.origin}/sessions/one/two/three/four`)).status).toBe(404);
  expect((await fetch(`${server.origin}/sessions/%ff`)).status).toBe(404);
});

test("hooks of the server hold for runs; one that may change the answer holds its text back", async () => {
  const loud = defineHooks("loud", { postGenerate: ({ content }) => ({ content: content.toUpperCase() }) });
  const { opened, run } = await openSessions(["the secret"], {}, { hooks: loud });
  const stream = await run(await opened());
  expect(stream.response.headers.get("llama-hooks-stream")).toBe("held");
  const events = await stream.rest();
  expect(events.map(({ type }) => type)).not.toContain("token");
  expect(events.at(-1)?.data).toMatchObject({ result: { text: "THE SECRET" } });
  expect(JSON.stringify(events)).not.toContain("the secret");
});
