// `llama-hooks serve`: a process that serves until a signal ends it.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { type Child, cli, cliCommand, jsonLines, node, start, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { chatOf } from "../support/http/server.js";

const forever = { replies: ["Hello there."], afterLast: "repeat" } as const;
const onCpu = ["--gpu", "off", "--threads", "1", "--port", "0"];
const key = "a-key-that-is-long-enough";

/** The base URL that a starting server prints. */
async function urlOf(child: Child): Promise<string> {
  let said = "";
  child.process.stderr?.on("data", (text: string) => (said += text));
  await child.said(/serving .* at http:\S+;/, "stderr");
  return / at (http:\S+);/.exec(said)?.[1] ?? "";
}

async function fileOf(name: string, content: string): Promise<string> {
  const file = path.join(await tempDir(), name);
  await writeFile(file, content);
  return file;
}

test("it serves the bundled model, and SIGTERM ends it with 0", async () => {
  const child = startCli("serve", ...onCpu);
  const baseURL = await urlOf(child);
  const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["tiny-agent"]);
  const answer = await client.chat.completions.create({ ...chatOf({ max_tokens: 4 }), model: "tiny-agent" });
  expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
  child.process.kill("SIGTERM");
  expect(await child.ended).toMatchObject({ code: 0, signal: null, stdout: "" });
});

test("models, aliases, keys, hooks and the log come from its options", async () => {
  const model = await scriptModel(forever);
  const keys = await fileOf("keys", `# people\nann ${key}\n\nanother:key-without-a-name\n`);
  const hooks = await fileOf(
    "hooks.mjs",
    `import { defineHooks } from "llama-hooks";
     export const loud = defineHooks("loud", { postGenerate: ({ content }) => ({ content: content.toUpperCase() }) });`,
  );
  const child = startCli(
    "serve",
    `one=${model}`,
    "--alias",
    "gpt-4o=one",
    "--api-key-file",
    keys,
    "--hooks",
    hooks,
    "--log",
    ...onCpu,
  );
  const baseURL = await urlOf(child);
  const statuses = [];
  for (const apiKey of [key, "another:key-without-a-name", "none-of-these-keys"]) {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ ...chatOf(), model: "gpt-4o" });
    const response = await fetch(`${baseURL}/chat/completions`, { method: "POST", headers, body });
    statuses.push(response.status);
    expect(await response.text()).toContain(response.ok ? "HELLO THERE." : "invalid_api_key");
  }
  expect(statuses).toEqual([200, 200, 401]);
  child.process.kill("SIGINT");
  const { code, stdout } = await child.ended;
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([
    { key: "ann", path: "/v1/chat/completions", status: 200 },
    { key: "line-4", path: "/v1/chat/completions", status: 200 },
    { key: null, path: "/v1/chat/completions", status: 401 },
  ]);
  expect(stdout).not.toMatch(/has-|that-is-long|Hi|HELLO/);
});

test("without agents it says which hooks it never calls, and with agents it does not", async () => {
  const model = await scriptModel(forever);
  const hooks = await fileOf(
    "hooks.mjs",
    `import { cancel, defineHooks } from "llama-hooks";
     export const guards = defineHooks("guards", { preToolCall: () => cancel("no"), userMessage() {}, preGenerate() {} });
     export const loud = defineHooks("loud", { postGenerate() {}, modelReady() {} });`,
  );
  for (const agents of [[], ["--system", "You are brief."]]) {
    const child = startCli("serve", model, "--hooks", hooks, ...agents, ...onCpu);
    await urlOf(child);
    child.process.kill("SIGTERM");
    const { stderr } = await child.ended;
    const warning = `llama-hooks: The hook "guards" at preToolCall, userMessage, registered at ${hooks}:2, is never called by`;
    if (agents.length === 0) expect(stderr).toContain(warning);
    expect(stderr.match(/never called/g) ?? []).toHaveLength(agents.length === 0 ? 1 : 0);
    expect(stderr.includes("agents run here with --tools, --mcp, --session or --system")).toBe(agents.length === 0);
  }
});

test("of the hooks of --inspect it says nothing, nor at the first request", async () => {
  const child = startCli("serve", await scriptModel(forever), "--inspect", ...onCpu);
  const client = new OpenAI({ baseURL: await urlOf(child), apiKey: "none", maxRetries: 0 });
  await client.chat.completions.create({ ...chatOf(), model: "script" });
  child.process.kill("SIGTERM");
  const { code, stderr } = await child.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining("inspector: http:")]);
  expect(stderr).not.toContain("never called");
});

/** A file of hooks whose preGenerate waits for a signal of the process. */
const waiting = `
  import { defineHooks } from "llama-hooks";
  export const waits = defineHooks("waits", {
    preGenerate: () => {
      console.error("begun");
      return new Promise((resolve) => process.once("SIGUSR2", () => resolve(undefined)));
    },
  });`;

/** Asks the server, and resolves when it refuses connections. */
async function closed(baseURL: string): Promise<void> {
  for (;;) {
    try {
      await fetch(baseURL.replace("/v1", "/health"));
    } catch {
      return;
    }
  }
}

async function ask(baseURL: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${baseURL}/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify({ messages: chatOf().messages }),
  });
}

test("after SIGTERM what runs may end within the grace", async () => {
  const child = startCli("serve", await scriptModel(forever), "--hooks", await fileOf("hooks.mjs", waiting), ...onCpu);
  const baseURL = await urlOf(child);
  const answer = ask(baseURL);
  await child.said("begun", "stderr");
  child.process.kill("SIGTERM");
  await closed(baseURL);
  child.process.kill("SIGUSR2");
  expect((await answer).status).toBe(200);
  expect((await child.ended).code).toBe(0);
});

test("a grace of years is not a grace of a millisecond", async () => {
  const hooks = await fileOf("hooks.mjs", waiting);
  const child = startCli("serve", await scriptModel(forever), "--grace", "2147483647", "--hooks", hooks, ...onCpu);
  const baseURL = await urlOf(child);
  const answer = ask(baseURL);
  await child.said("begun", "stderr");
  child.process.kill("SIGTERM");
  await closed(baseURL);
  child.process.kill("SIGUSR2");
  expect((await answer).status).toBe(200);
  expect((await child.ended).stderr).not.toContain("TimeoutOverflow");
});

test("without a grace it is cancelled", async () => {
  const model = await scriptModel(forever);
  const child = startCli("serve", model, "--grace", "0", "--hooks", await fileOf("hooks.mjs", waiting), ...onCpu);
  const answer = ask(await urlOf(child));
  await child.said("begun", "stderr");
  child.process.kill("SIGTERM");
  expect((await answer).status).toBe(503);
  expect((await child.ended).code).toBe(0);
});

test("a key may come from the environment", async () => {
  const [program, main] = cliCommand;
  const model = await scriptModel(forever);
  const child = start(program, [main, "serve", model, ...onCpu], { LLAMA_HOOKS_API_KEY: key });
  const baseURL = await urlOf(child);
  expect((await ask(baseURL)).status).toBe(401);
  const client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
  expect((await client.models.list()).data).toHaveLength(1);
});

test.skipIf(process.platform === "win32")("keys may come from a pipe, and too many are refused", async () => {
  const model = await scriptModel(forever);
  const piped = (writer: string): Child => {
    const code = `exec "$0" "$@" --api-key-file <(${writer})`;
    return start("bash", ["-c", code, ...cliCommand, "serve", model, "--log", ...onCpu]);
  };
  const child = piped(`echo ann ${key}`);
  const baseURL = await urlOf(child);
  expect((await ask(baseURL)).status).toBe(401);
  const client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
  expect((await client.models.list()).data).toHaveLength(1);
  child.process.kill("SIGTERM");
  expect((await child.ended).code).toBe(0);
  const many = await piped("yes a-key-that-is-long-enough").ended;
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining("it has more than 1000000 bytes")]);
  expect(await piped("true").ended).toMatchObject({ code: 2, stderr: expect.stringContaining("it has no key") });
});

test("wrong usage is reported before a model is loaded, and without keys", async () => {
  const short = await fileOf("keys", "ann too-short\n");
  const colon = await fileOf("keys", `ann: ${key}\n`);
  const three = await fileOf("keys", `ann ${key} more\n`);
  const empty = await fileOf("keys", "# empty\n");
  const cases: [string[], string][] = [
    [["--host", "0.0.0.0"], "needs API keys"],
    [["--api-key-file", short], "line 1: a key must have 16 to 512 characters"],
    [["--api-key-file", colon], "line 1: it must be a key, or a name"],
    [["--api-key-file", three], "line 1: it must be a key, or a name"],
    [["--api-key-file", empty], "it has no key"],
    [["--api-key-file", path.join(short, "none")], "ENOTDIR"],
    [["--alias", "gpt-4o"], "name=id"],
    [["a=one.gguf", "a=two.gguf"], "two models have the id a"],
    [["--port", "-1"], "at least 0"],
    [["--session-store", "folder"], "--session-store needs --tools, --mcp, --session or --system"],
  ];
  for (const [args, text] of cases) {
    const { code, stderr } = await cli("serve", ...args);
    expect([code, stderr], args.join(" ")).toEqual([2, expect.stringContaining(text)]);
    expect(stderr).not.toMatch(/too-short|that-is-long/);
  }
});

test("sessions of an agent come from --tools, --session and --system, and are kept in --session-store", async () => {
  const model = await scriptModel({
    replies: [{ toolCalls: [{ name: "calculator", args: { expression: "6 * 7" } }] }, "42."],
  });
  const session = await fileOf("session.mjs", `export default { permissions: [{ ask: "*" }] };`);
  const store = await tempDir();
  const args = ["serve", `one=${model}`, "--tools", "demo", "--session", session, "--session-store", store, ...onCpu];
  const child = startCli(...args);
  const at = (await urlOf(child)).replace("/v1", "");
  const post = async (path: string, body: unknown): Promise<Response> =>
    fetch(`${at}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { id, agent } = (await (await post("/sessions", {})).json()) as { id: string; agent: string };
  expect(agent).toBe("one");
  const run = post(`/sessions/${id}/runs`, { input: "6 * 7?", stream: false });
  const questions = async (): Promise<{ id: string; toolName: string }[]> =>
    ((await (await fetch(`${at}/sessions/${id}/questions`)).json()) as { questions: never[] }).questions;
  await expect.poll(async () => (await questions()).map(({ toolName }) => toolName)).toEqual(["calculator"]);
  const [question] = await questions();
  expect((await post(`/sessions/${id}/questions/${question?.id}`, { allow: true })).status).toBe(200);
  expect(await (await run).json()).toMatchObject({ text: "42.", toolCalls: [{ result: "42" }] });
  child.process.kill("SIGTERM");
  expect((await child.ended).code).toBe(0);
  const again = startCli(...args);
  const url = (await urlOf(again)).replace("/v1", "");
  expect(await (await fetch(`${url}/sessions/${id}/history`)).json()).toMatchObject({
    messages: [{ content: "6 * 7?" }, {}, { content: "42" }, { content: "42." }],
  });
});

test("a port that is taken is a failure", async () => {
  const child = startCli("serve", ...onCpu);
  const { port } = new URL(await urlOf(child));
  const { code, stderr } = await cli("serve", "--gpu", "off", "--threads", "1", "--port", port);
  expect([code, stderr]).toEqual([1, expect.stringContaining("EADDRINUSE")]);
});

test("the example of the guide runs", async () => {
  const { code, stdout } = await node(["examples/server.mjs"]);
  const [tea, other] = stdout.split("\n");
  expect([code, tea]).toEqual([0, "What time is it? -> Time for tea."]);
  expect(other).toMatch(/^Hello! -> ./);
});
