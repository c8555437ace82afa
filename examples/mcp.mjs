// Files of an MCP server for the model: it reads as it likes, and a person approves every write. Needs
// `npm install @modelcontextprotocol/client @modelcontextprotocol/server-filesystem`.
// Run: node examples/mcp.mjs [model.gguf] ["what to do"]; without a model a script plays one.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createEngine } from "llama-hooks";
import { approve } from "llama-hooks/hooks";
import { mcpTools } from "llama-hooks/mcp";
import { writeScriptModel } from "llama-hooks/testing";

const folder = await mkdtemp(path.join(tmpdir(), "mcp-example-"));
const notes = path.join(folder, "notes.txt");
await writeFile(notes, "The meeting is at noon.");
const [model = await script(), input = "Move the meeting to one o'clock."] = process.argv.slice(2);

const client = new Client({ name: "llama-hooks-example", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: "node_modules/.bin/mcp-server-filesystem", args: [folder], stderr: "ignore" }),
);
const files = await mcpTools(client, { prefix: "files", allow: ["read_text_file", "write_file", "list_directory"] });

const engine = await createEngine({ model });
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
engine.hooks.use(
  approve({
    async ask({ toolName, args }) {
      console.log(`May it call ${toolName} for ${path.basename(args.path)}: ${JSON.stringify(args.content)}? [y/n]`);
      const { value } = await answers.next();
      return value === "y" ? true : { allow: false, reason: "the person said no" };
    },
  }),
);

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

await engine.close();
await client.close();
await rm(folder, { recursive: true });
process.stdin.destroy();

/** A model that reads and writes twice, whatever the prompt says, so that the example runs anywhere. */
async function script() {
  const file = path.join(folder, "script.gguf");
  const call = (name, args) => ({ toolCalls: [{ name: `files__${name}`, args: { path: notes, ...args } }] });
  const write = (content) => call("write_file", { content });
  const replies = [call("read_text_file"), write("The meeting is at one."), write("It is cancelled."), "I have tried."];
  await writeScriptModel(file, { replies });
  return file;
}
