// Invalid responses of a server fail their call at once, and no other call; each text is passed on once.
import { expect, test } from "vitest";
import { mcpTools } from "../../src/mcp/index.js";
import {
  connected,
  entry,
  rawServer,
  type RawServer,
  stdio,
  text,
  toolsOf,
  workingEngine,
} from "../support/integrations/mcp.js";

const engine = workingEngine();

const bad: Readonly<Record<string, object>> = {
  "both a result and an error": { result: text("fine"), error: { code: -32000, message: "not fine" } },
  "a result of null": { result: null },
  "a result that is a list": { result: [] },
  "an error that is a text": { error: "broken" },
  "an error without a code": { error: { message: "broken" } },
  neither: {},
};

/** `answer` sends the response to the call of a tool. */
async function serverThat(answer: (server: RawServer, id: number | string) => void): Promise<RawServer> {
  const server = await rawServer({
    "tools/list": () => ({ tools: [entry("work")] }),
    "tools/call": (_, { id = 0 }) => void answer(server, id),
  });
  return server;
}

test.each(Object.entries(bad))("%s: the call fails at once with a code, and the next one works", async (_, reply) => {
  let calls = 0;
  const server = await serverThat(({ send }, id) =>
    send({ id, ...(calls++ === 0 ? reply : { result: text("4 degrees") }) }),
  );
  const { tools } = await toolsOf(server.client, { deadlineMs: 0, maxCallMs: 0 });
  const first = await engine().session({ tools }).run("Go");
  expect(first.toolCalls).toMatchObject([{ resultKind: "error", cause: { code: "MCP_FAILED" } }]);
  expect(first.toolCalls[0]?.result).toMatch(/either a result, which is an object, or an error/);
  const second = await engine().session({ tools }).run("Go");
  expect(second.toolCalls).toMatchObject([{ result: "4 degrees" }]);
});

test("a list of tools that is no answer is MCP_FAILED at once", async () => {
  const server: RawServer = await rawServer({ "tools/list": (_, { id = 0 }) => server.send({ id, result: null }) });
  await expect(mcpTools(server.client)).rejects.toMatchObject({ code: "MCP_FAILED" });
});

/** A program that answers calls with lines of its own: the transport does not say which call an invalid line is for. */
const program = (lines: string): string => `
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const lines = (id) => { ${lines} };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
    else if (method === "tools/list") send({ id, result: { tools: [{ name: "work", inputSchema: { type: "object" } }] } });
    else if (method === "tools/call") lines(id);
    else if (id !== undefined) send({ id, result: {} });
  });`;

test.each(Object.keys(bad))("a program's answer that has %s fails its call at once", async (what) => {
  const client = await connected(stdio("-e", program(`send({ id, ...${JSON.stringify(bad[what])} })`)));
  const { tools } = await toolsOf(client, { deadlineMs: 0, maxCallMs: 0 });
  const { toolCalls } = await engine().session({ tools }).run("Go");
  expect(toolCalls).toMatchObject([{ resultKind: "error", cause: { code: "MCP_FAILED" } }]);
});

test("lines of a program that are no answers end no call", async () => {
  const noise = `process.stdout.write('{"level":"info"}\\n{"jsonrpc":"2.0","method":5}\\nhello\\n');`;
  const client = await connected(
    stdio("-e", program(`${noise} send({ id, result: ${JSON.stringify(text("4 degrees"))} })`)),
  );
  const { tools } = await toolsOf(client, { deadlineMs: 0, maxCallMs: 0 });
  const { toolCalls } = await engine().session({ tools }).run("Go");
  expect(toolCalls).toMatchObject([{ result: "4 degrees", resultKind: "ok" }]);
});

const file = "One line of a file, which is long enough.\n".repeat(200);
test.each<[string, object, string]>([
  ["a text and the object of it", { ...text(file), structuredContent: { content: file } }, file],
  ["a short text", { ...text("hi"), structuredContent: { result: "hi" } }, "hi"],
  ["a number", { ...text("4"), structuredContent: { result: 4 } }, "4"],
  [
    "JSON in another order",
    { ...text('{ "b": 1, "a": [2] }'), structuredContent: { a: [2], b: 1 } },
    '{ "b": 1, "a": [2] }',
  ],
  ["JSON of a member", { ...text("[1,2]"), structuredContent: { result: [1, 2] } }, "[1,2]"],
  [
    "a text for each item",
    {
      content: [
        { type: "text", text: '{"a":1}' },
        { type: "text", text: "two" },
      ],
      structuredContent: { result: [{ a: 1 }, "two"] },
    },
    '{"a":1}\ntwo',
  ],
  [
    "a text with a title",
    { ...text(`notes.txt:\n${file}`), structuredContent: { content: file } },
    `notes.txt:\n${file}`,
  ],
  ["a text and more", { ...text(file), structuredContent: { content: file, bytes: 8400 } }, `${file}\n{"bytes":8400}`],
  ["a text that says something else", { ...text("Cold."), structuredContent: { degrees: 4 } }, 'Cold.\n{"degrees":4}'],
  ["an empty object", { ...text("Done."), structuredContent: {} }, "Done.\n{}"],
])("structured content beside %s is told once", async (_, result, told) => {
  const server = await serverThat(({ send }, id) => send({ id, result }));
  const { tools } = await toolsOf(server.client);
  const { toolCalls } = await engine().session({ tools, maxResultBytes: 100_000 }).run("Go");
  expect(toolCalls[0]?.result).toBe(told);
});
