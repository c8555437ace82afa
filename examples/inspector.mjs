// Files of an MCP server for the model, in a page: it reads as it likes, and a person approves or denies every write in
// the inspector. Needs `npm install @modelcontextprotocol/client @modelcontextprotocol/server-filesystem`.
// Run: node examples/inspector.mjs [model.gguf] ["what to do"]; without a model a script plays one.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createEngine } from "llama-hooks";
import { questions } from "llama-hooks/hooks";
import { inspect } from "llama-hooks/inspector";
import { mcpTools } from "llama-hooks/mcp";
import { writeScriptModel } from "llama-hooks/testing";

const folder = await mkdtemp(path.join(tmpdir(), "inspector-example-"));
const notes = path.join(folder, "notes.txt");
await writeFile(notes, "The meeting is at noon.");
const [model = await script(), input = "Move the meeting to one o'clock."] = process.argv.slice(2);

const client = new Client({ name: "llama-hooks-example", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: "node_modules/.bin/mcp-server-filesystem", args: [folder], stderr: "ignore" }),
);
const files = await mcpTools(client, { prefix: "files", allow: ["read_text_file", "write_file", "list_directory"] });

const engine = await createEngine({ model });
const list = questions();
engine.hooks.use(list.hooks);
const inspector = await inspect(engine, { questions: list });
console.log(`Open ${inspector.url} and answer under Questions.`);

// A call that no rule allows needs an answer. The rule trusts this server's hints about its tools.
const session = engine.session({
  permissions: [{ allow: "*", when: { origin: "mcp:files", "annotations.readOnlyHint": true } }],
});
files.follow(session);
const run = session.run(input);
for await (const event of run) {
  if (event.type === "toolResult") console.log(`${event.record.name} ${event.record.resultKind}`);
}
console.log((await run).text);
console.log(`notes.txt: ${await readFile(notes, "utf8")}`);

// The page keeps its content.
await engine.close();
await inspector.close();
await client.close();
await rm(folder, { recursive: true });

/** A model that reads and writes twice, whatever the prompt says, so that the example runs anywhere. */
async function script() {
  const file = path.join(folder, "script.gguf");
  const call = (name, args) => ({ toolCalls: [{ name: `files__${name}`, args: { path: notes, ...args } }] });
  const write = (content) => call("write_file", { content });
  const replies = [call("read_text_file"), write("The meeting is at one."), write("It is cancelled."), "I have tried."];
  await writeScriptModel(file, { replies });
  return file;
}
