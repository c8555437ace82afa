// Sessions over HTTP whose questions others may answer, too: a program, or a person in the inspector.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { questions } from "../../src/ready-hooks/index.js";
import { startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { openSessions } from "../support/http/sessions.js";
import { asks, calls } from "../support/sessions.js";

interface Asked {
  readonly question: { readonly id: string; readonly sessionId: string };
}

test("a shared list has the questions of all sessions; each client sees and answers its own", async () => {
  const list = questions();
  const script = { replies: [asks("Oslo"), calls("asks_user"), "Done."], afterLast: "repeat" } as const;
  const { ask, opened, run, engine } = await openSessions(script, { questions: list });
  engine.hooks.use(list.hooks);
  const paths = [await opened(), await opened()] as const;
  const streams = [await run(paths[0]), await run(paths[1])] as const;
  const first = ((await streams[0].next("question")) as Asked).question;
  const second = ((await streams[1].next("question")) as Asked).question;
  expect(list.open().map(({ id }) => id)).toEqual(expect.arrayContaining([first.id, second.id]));
  expect((await ask("GET", `${paths[0]}/questions`)).body).toMatchObject({ questions: [{ id: first.id }] });
  expect((await ask("POST", `${paths[0]}/questions/${second.id}`, { allow: true })).status).toBe(404);

  list.answer(first.id, false);
  expect(await streams[0].next("questionSettled")).toMatchObject({ id: first.id, by: "answer" });
  expect((await ask("POST", `${paths[0]}/questions/${first.id}`, { allow: true })).status).toBe(404);
  await ask("POST", `${paths[1]}/questions/${second.id}`, { allow: true });
  const city = ((await streams[1].next("question")) as Asked).question;
  list.answer(city.id, { action: "accept", content: { city: "Bonn" } });
  const { result } = (await streams[1].next("end")) as { result: { toolCalls: { result: string }[] } };
  expect(result.toolCalls.map((call) => call.result)).toEqual(["Oslo: 4 degrees", "accept Bonn"]);
});

test("serve --inspect: the client answers what the page shows", async () => {
  const session = path.join(await tempDir(), "session.mjs");
  await writeFile(session, `export default { permissions: [{ ask: "*" }] };`);
  const model = await scriptModel([asks("Oslo"), "Cold."]);
  const options = ["--port", "0", "--tools", "demo", "--session", session, "--gpu", "off", "--inspect"];
  const child = startCli("serve", `m=${model}`, ...options);
  let said = "";
  child.process.stderr?.on("data", (text: string) => (said += text));
  await child.said(/inspector: http\S+\n/, "stderr");
  await child.said(/http:\/\/127\.0\.0\.1:\d+\/v1/, "stderr");
  const [base = ""] = /http:\/\/127\.0\.0\.1:\d+(?=\/v1)/.exec(said) ?? [];
  const [, page = "", token = ""] = /inspector: (\S+)\/#(\S+)/.exec(said) ?? [];
  const post = (where: string, body: object): Promise<Response> =>
    fetch(`${base}${where}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { id } = (await (await post("/sessions", {})).json()) as { id: string };
  const running = post(`/sessions/${id}/runs`, { input: "Weather?", stream: false });
  await child.said(/weather waits for an answer in the inspector/, "stderr");
  const state = await fetch(`${page}/state`, { headers: { authorization: `Bearer ${token}` } });
  const { questions: shown } = (await state.json()) as { questions: { id: string }[] };
  expect((await post(`/sessions/${id}/questions/${shown[0]?.id}`, { allow: false, reason: "not now" })).status).toBe(
    200,
  );
  expect(await (await running).json()).toMatchObject({ text: "Cold.", toolCalls: [{ result: "denied: not now" }] });
  child.process.kill("SIGTERM");
  expect(await child.ended).toMatchObject({ code: 0 });
});
