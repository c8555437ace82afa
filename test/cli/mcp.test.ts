// --mcp: tools of MCP servers in run, chat and serve, and the end of these servers with the command.
import { spawn, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ToolRecord } from "../../src/index.js";
import type { ScriptReply } from "../../src/testing/index.js";
import { cli, cliCommand, jsonLines, node, start, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { serverFile } from "../support/integrations/mcp.js";

const nodeWord = `'${process.execPath}'`;
const onCpu = ["--gpu", "off", "--threads", "1", "--context-size", "16384"];

/** A folder whose name has a blank, with a text file. */
async function folderWithNotes(): Promise<string> {
  const folder = path.join(await tempDir(), "my notes");
  await mkdir(folder);
  await writeFile(path.join(folder, "notes.txt"), "the meeting is at noon");
  return folder;
}

const filesServer = (folder: string): string => `${nodeWord} ${serverFile("filesystem")} "${folder}"`;

/**
 * A command line for MCP's test server as a program that a launcher has started and waits for, and a function that
 * tells whether one of both is alive.
 */
async function launched(): Promise<{ command: string; isAlive(): Promise<boolean> }> {
  const file = path.join(await tempDir(), "pids");
  const server = `${process.execPath} ${serverFile("everything")} stdio`;
  // A shell gives a program in the background no stdin, unless it is passed under another number.
  const command = `sh -c 'exec 3<&0; echo $$ > ${file}; ${server} <&3 & echo $! >> ${file}; wait'`;
  const isAlive = async (): Promise<boolean> => {
    const pids = (await readFile(file, "utf8")).trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    // A program that has ended stays as a zombie where nothing collects it.
    return pids.some((pid) => /^[^Z\s]/.test(spawnSync("ps", ["-o", "stat=", "-p", `${pid}`]).stdout.toString()));
  };
  return { command, isAlive };
}

const call = (name: string, args: Record<string, unknown> = {}): ScriptReply => ({
  toolCalls: [{ name, args }],
});

/** The tool calls that `run --json` reported. */
function callsOf(stdout: string): ToolRecord[] {
  return jsonLines(stdout).flatMap((line) => (line["type"] === "toolResult" ? [line["record"] as ToolRecord] : []));
}

test("the model calls tools of a server, whose command line is split as a shell splits it", async () => {
  const folder = await folderWithNotes();
  const model = await scriptModel([call("files__read_text_file", { path: path.join(folder, "notes.txt") }), "Done."]);
  const server = `files=${filesServer(folder)}`;
  const { code, stdout, stderr } = await cli("run", "hi", "--json", "--model", model, "--mcp", server, ...onCpu);
  expect([code, stderr]).toEqual([0, ""]);
  expect(callsOf(stdout).map(({ result }) => result)).toEqual([expect.stringContaining("the meeting is at noon")]);
});

test("rules of the session see the origin and the annotations of these tools", async () => {
  const folder = await folderWithNotes();
  const file = path.join(folder, "new.txt");
  const session = path.join(await tempDir(), "session.mjs");
  await writeFile(
    session,
    `export default { permissions: [{ allow: "*", when: { origin: "mcp:f", "annotations.readOnlyHint": true } }] };`,
  );
  const model = await scriptModel([
    call("f__read_text_file", { path: path.join(folder, "notes.txt") }),
    call("f__write_file", { path: file, content: "x" }),
    "Done.",
  ]);
  const options = ["--model", model, "--session", session, "--mcp", `f=${filesServer(folder)}`, ...onCpu];
  const { code, stdout } = await cli("run", "hi", "--json", ...options);
  expect(code).toBe(0);
  expect(callsOf(stdout).map(({ resultKind }) => resultKind)).toEqual(["ok", "rejected_permission"]);
  await expect(readFile(file)).rejects.toThrow("ENOENT");
});

test("the words of a command line", async () => {
  const says = path.join(await tempDir(), "says.mjs");
  await writeFile(says, `console.error(JSON.stringify(process.argv.slice(2))); process.exit(3);`);
  const line = String.raw`${nodeWord} ${says} a 'b  "c' "d \" \x $HOME" e\ f '' g'h'"i" ~/k *.js l~ | m`;
  const { code, stderr } = await cli("run", "hi", "--mcp", line, ...onCpu);
  expect(code).toBe(1);
  const words = JSON.parse(/it wrote: (\[.*\])/.exec(stderr)?.[1] ?? "") as string[];
  const home = `${process.env["HOME"]}/k`;
  expect(words).toEqual(["a", 'b  "c', 'd " \\x $HOME', "e f", "", "ghi", home, "*.js", "l~", "|", "m"]);
  expect(stderr).toContain("the program ended with exit code 3");
});

test.each([
  ["a 'b", "The quote ' is not closed."],
  ['a "b', 'The quote " is not closed.'],
  ["a \\", "It ends with a backslash."],
  ["", "It must not be empty."],
  ["name=", "It must not be empty."],
  ["a_=b", 'The name must not contain "__" or end with "_".'],
  ["http://[", "It is not an address."],
])("wrong usage: --mcp %j", async (text, message) => {
  const { code, stderr } = await cli("run", "hi", "--mcp", text);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  ["no such program", "no-such-program", "spawn no-such-program ENOENT"],
  ["a program that does not speak MCP", `${nodeWord} -e "setTimeout(() => process.exit(5), 200)"`, "exit code 5"],
  ["no server at the address", "http://127.0.0.1:9/mcp", "fetch failed"],
])("%s is one error that names the server", async (_, server, why) => {
  const { code, stdout, stderr } = await cli("run", "hi", "--mcp", server, ...onCpu);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^llama-hooks: .* \(MCP_FAILED\)\n$/);
  expect(stderr).toContain(`--mcp ${server}: `);
  expect(stderr).toContain(why);
});

test("two servers without names that have a tool of one name are wrong usage, and none outlives the command", async () => {
  const [one, two] = [await launched(), await launched()];
  const { code, stderr } = await cli("run", "hi", "--mcp", one.command, "--mcp", two.command, ...onCpu);
  expect([code, stderr]).toEqual([2, expect.stringContaining("two tools named")]);
  expect([await one.isAlive(), await two.isAlive()]).toEqual([false, false]);
});

test("if one server cannot be started, the others are ended", async () => {
  const server = await launched();
  const { code } = await cli("run", "hi", "--mcp", server.command, "--mcp", `${nodeWord} -e "setTimeout(()=>{},2000)"`);
  expect(code).toBe(1);
  expect(await server.isAlive()).toBe(false);
});

const slow = "trigger-long-running-operation";

test("ctrl-C in a call of a tool ends the command and the server with what it has started", async () => {
  const server = await launched();
  const model = await scriptModel([call(slow, { duration: 40, steps: 4 }), "Done."]);
  const child = startCli("run", "hi", "--json", "--model", model, "--mcp", server.command, ...onCpu);
  await child.said('"toolCall"');
  expect(await server.isAlive()).toBe(true);
  child.process.kill("SIGINT");
  expect((await child.ended).code).toBe(130);
  expect(await server.isAlive()).toBe(false);
});

test.each(["SIGTERM", "SIGHUP"] as const)("%s ends the server, too", async (signal) => {
  const server = await launched();
  const model = await scriptModel([call(slow, { duration: 40, steps: 4 }), "Done."]);
  const child = startCli("run", "hi", "--json", "--model", model, "--mcp", server.command, ...onCpu);
  await child.said('"toolCall"');
  child.process.kill(signal);
  expect((await child.ended).signal).toBe(signal);
  await expect.poll(() => server.isAlive()).toBe(false);
});

test("ctrl-C in a terminal stops an answer of a chat, and its server continues", async () => {
  const server = await launched();
  const model = await scriptModel([call(slow, { duration: 40, steps: 4 }), call("echo", { message: "here" }), "Done."]);
  const hooks = path.join(await tempDir(), "hooks.mjs");
  await writeFile(
    hooks,
    `export default ({ hooks }) => hooks.on("preToolCall", () => console.error("calls"), { observe: true });`,
  );
  // A terminal sends the signal to all processes of its group.
  const args = [...cliCommand, "chat", "--model", model, "--mcp", server.command, "--hooks", hooks, ...onCpu];
  const child = start("setsid", args, {}, { leaveOpen: true });
  child.type("one\n");
  await child.said("calls", "stderr");
  process.kill(-(child.process.pid ?? Number.NaN), "SIGINT");
  await child.said("cancelled", "stderr");
  expect(await server.isAlive()).toBe(true);
  child.type("two\n");
  await child.said("Echo: here", "stderr");
  child.process.stdin?.end();
  await child.ended;
  expect(await server.isAlive()).toBe(false);
});

/** MCP's test server over HTTP in a separate process. */
async function overHttp(): Promise<string> {
  const port = 20_000 + (process.pid % 20_000);
  const env = { ...process.env, PORT: `${port}` };
  const child = spawn(process.execPath, [serverFile("everything"), "streamableHttp"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const listening = gate();
  child.stderr.on("data", (text: Buffer) => String(text).includes("listening") && listening.open());
  await listening.passed;
  return `http://127.0.0.1:${port}/mcp`;
}

test("serve offers the tools to sessions, here those of a server over HTTP", async () => {
  const model = await scriptModel([call("web__echo", { message: "hi" }), "Done."]);
  const child = startCli("serve", `m=${model}`, "--port", "0", "--mcp", `web=${await overHttp()}`, ...onCpu);
  let said = "";
  child.process.stderr?.on("data", (text: string) => (said += text));
  await child.said(/serving .* at http:\S+;/, "stderr");
  const url = new URL(/ at (http:\S+);/.exec(said)?.[1] ?? "").origin;
  const post = async (where: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${where}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, unknown>;
  };
  const { id } = await post("/sessions", {});
  const result = await post(`/sessions/${String(id)}/runs`, { input: "go", stream: false });
  const results = (result["toolCalls"] as { result: string }[]).map((one) => one.result);
  expect(results).toEqual([expect.stringContaining("Echo: hi")]);
  child.process.kill("SIGTERM");
  expect((await child.ended).code).toBe(0);
});

/** A server that asks the user, in a program that speaks both protocols; `only`: that of 2026 alone. */
async function booking(only: boolean): Promise<string> {
  const file = path.join(await tempDir(), "server.mjs");
  const module = (name: string): string => JSON.stringify(import.meta.resolve(name));
  await writeFile(
    file,
    `import { acceptedContent, inputRequired, McpServer } from ${module("@modelcontextprotocol/server")};
import { serveStdio } from ${module("@modelcontextprotocol/server/stdio")};
import { z } from ${module("zod")};
const form = z.object({ nights: z.int() });
serveStdio(() => {
  const server = new McpServer({ name: "booking", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool("book", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "nights", form);
    if (answer !== undefined) return { content: [{ type: "text", text: "nights: " + answer.nights }] };
    const ask = inputRequired.elicit({ message: "How many nights?", requestedSchema: form });
    return inputRequired({ inputRequests: { nights: ask } });
  });
  return server;
}, ${only ? '{ legacy: "reject" }' : "{}"});
`,
  );
  return `${nodeWord} ${file}`;
}

test.each([true, false])("a server of the protocol of 2026 asks with its answer (it alone: %s)", async (only) => {
  const hooks = path.join(await tempDir(), "hooks.mjs");
  await writeFile(
    hooks,
    `export default ({ hooks }) => hooks.on("elicitation", () => ({ action: "accept", content: { nights: 2 } }));`,
  );
  const model = await scriptModel([call("book"), "Done."]);
  const args = ["--json", "--model", model, "--hooks", hooks, "--mcp", await booking(only), ...onCpu];
  const { code, stdout, stderr } = await cli("run", "hi", ...args);
  expect([code, stderr]).toEqual([0, ""]);
  expect(callsOf(stdout).map(({ result }) => result)).toEqual(["nights: 2"]);
});

test.each([
  ["answers nothing", ""],
  ["ends", "process.exit(1)"],
])("a program that %s before the handshake is one of the older protocol", async (_, otherwise) => {
  const file = path.join(await tempDir(), "server.mjs");
  await writeFile(
    file,
    `import { createInterface } from "node:readline";
const schema = { type: "object", properties: {} };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "look", inputSchema: schema }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "seen" }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  else if (id !== undefined) { ${otherwise} }
}`,
  );
  const model = await scriptModel([call("look"), "Done."]);
  const { code, stdout } = await cli("run", "hi", "--json", "--model", model, "--mcp", `${nodeWord} ${file}`, ...onCpu);
  expect([code, callsOf(stdout).map(({ result }) => result)]).toEqual([0, ["seen"]]);
});

test("a server over HTTP may take longer for its first answer than a program", async () => {
  const inner = new URL(await overHttp());
  let asked = 0;
  const relay = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const pass = (): void => {
        const to = httpRequest(inner, { method: request.method, headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        to.on("error", () => response.destroy());
        to.end(Buffer.concat(chunks));
      };
      if (asked++ > 0) pass();
      else setTimeout(pass, 6000); // longer than probeMs of src/cli/mcp/mcp-servers.ts
    });
  });
  onTestFinished(() => void relay.close());
  await once(relay.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}/mcp`;
  const model = await scriptModel([call("echo", { message: "hi" }), "Done."]);
  const { code, stdout } = await cli("run", "hi", "--json", "--model", model, "--mcp", url, ...onCpu);
  expect([code, callsOf(stdout).map(({ result }) => result)]).toEqual([0, [expect.stringContaining("Echo: hi")]]);
});

test("without the client's package the error names the line that installs it", async () => {
  const folder = await tempDir();
  const [finds, hooks] = [path.join(folder, "finds.mjs"), path.join(folder, "no-client.mjs")];
  await writeFile(
    finds,
    `export const resolve = async (name, context, next) => {
       if (name.startsWith("@modelcontextprotocol/")) throw Object.assign(new Error(name), { code: "ERR_MODULE_NOT_FOUND" });
       return next(name, context);
     };`,
  );
  await writeFile(hooks, `import { register } from "node:module"; register(${JSON.stringify(`file://${finds}`)});`);
  const [, main = ""] = cliCommand;
  const { code, stderr } = await node(["--import", hooks, main, "run", "hi", "--mcp", "x", ...onCpu]);
  expect([code, stderr]).toEqual([
    1,
    "llama-hooks: --mcp needs the package @modelcontextprotocol/client: npm install @modelcontextprotocol/client (UNSUPPORTED)\n",
  ]);
});
