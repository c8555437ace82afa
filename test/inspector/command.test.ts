// `llama-hooks inspect`, and --inspect of the commands that have an engine.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Child, cli, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { asks } from "../support/sessions.js";

const onCpu = ["--gpu", "off", "--threads", "1"];

/** The address that a command prints. */
async function addressOf(child: Child, stream: "stdout" | "stderr"): Promise<URL> {
  let said = "";
  child.process[stream]?.on("data", (text: string) => (said += text));
  await child.said(/http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}\n/, stream);
  return new URL(/http:\S+/.exec(said)?.[0] ?? "");
}

async function stateOf({ origin, hash }: URL): Promise<Record<string, unknown>> {
  const answer = await fetch(`${origin}/state`, { headers: { authorization: `Bearer ${hash.slice(1)}` } });
  return (await answer.json()) as Record<string, unknown>;
}

test("inspect shows files until a signal ends it, and refuses what it cannot read", async () => {
  const file = path.join(await tempDir(), "trace.json");
  await writeFile(file, '{"traceEvents":[]}');
  const child = startCli("inspect", file);
  const url = await addressOf(child, "stdout");
  expect(await stateOf(url)).toEqual({ title: "Saved files", files: ["trace.json"] });
  child.process.kill("SIGTERM");
  expect(await child.ended).toMatchObject({ code: 0, stderr: "" });
  expect(await cli("inspect", `${file}.gone`)).toMatchObject({ code: 1, stdout: "" });
  expect(await cli("inspect", "--port", "70000")).toMatchObject({ code: 2 });
});

test("run --inspect waits for the answer of a person on the page, and ends with its run", async () => {
  const folder = await tempDir();
  const session = path.join(folder, "session.mjs");
  await writeFile(session, `export default { permissions: [{ ask: "*" }] };`);
  const model = await scriptModel([asks("Oslo"), "Cold."]);
  const options = ["--model", model, "--tools", "demo", "--session", session, "--trace"];
  const child = startCli("run", "Weather?", ...options, "--inspect", ...onCpu);
  const { origin, hash } = await addressOf(child, "stderr");
  await child.said(/weather waits for an answer in the inspector/, "stderr");
  const url = new URL(`${origin}/${hash}`);
  const { questions } = (await stateOf(url)) as { questions: readonly { readonly id: string }[] };
  const headers = { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" };
  const stream = await fetch(`${origin}/events`, { headers });
  const body = JSON.stringify({ id: questions[0]?.id, answer: { allow: false, reason: "not now" } });
  expect((await fetch(`${origin}/answers`, { method: "POST", headers, body })).status).toBe(200);
  const end = await child.ended;
  expect(end).toMatchObject({ code: 0 });
  expect(end.stderr).toContain("not now");
  expect(end.stderr).not.toContain("llama-hooks inspector");
  expect(end.stderr.split(hash)).toHaveLength(2); // the address alone has the token
  expect(end.stdout).not.toContain(hash.slice(1));
  expect(await stream.text()).toMatch(/"type":"ended","what":"engine".*\n\n$/);
});
