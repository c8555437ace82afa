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

test("a list of tools that is not an answer is MCP_FAILED at once", async () => {
  const server: RawServer = await rawServer({ "tools/list": (_, { id = 0 }) => server.send({ id, result: null }) });
  await expect(mcpTools(server.client)).rejects.toMatchObject({ code: "MCP_FAILED" });
});

/** A program that answers calls with its own lines: the transport does not say which call an invalid line is for. */
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

/**
 * Runs two calls of a program at once, A and B, whose ids are `ids`. `both`: what it does when both are there. When B has
 * made progress, the run of A is cancelled; `left`: what the program does then. Returns the calls.
 */
async function twoCalls(both: string, left: string) {
  const lines = `
    globalThis.ids ??= [];
    ids.push(id);
    const notify = (call) => send({ method: "notifications/progress", params: { progressToken: call, progress: 1 } });
    if (ids.length === 1) notify(id);
    else { ${both} notify(id); }`;
  const gone = `if (method === "notifications/cancelled" && params.requestId === ids[0]) { ${left} } else`;
  const client = await connected(stdio("-e", program(lines).replace('if (method === "initialize")', `${gone} $&`)));
  const { tools } = await toolsOf(client, { deadlineMs: 0, maxCallMs: 0 });
  const stop = new AbortController();
  const [a, b] = [engine().session({ tools }), engine().session({ tools })];
  const first = a.run("Go", { signal: stop.signal });
  let second: ReturnType<typeof b.run> | undefined;
  for await (const { type } of first) {
    if (type !== "toolProgress") continue;
    second = b.run("Go");
    for await (const event of second) if (event.type === "toolProgress") stop.abort();
  }
  return [(await first).toolCalls, (await second)?.toolCalls];
}

const good = JSON.stringify(text("4 degrees"));

test("a call that is given up after its answer was lost ends no other call", async () => {
  const [, b] = await twoCalls("send({ id: ids[0], result: null });", `send({ id: ids[1], result: ${good} });`);
  expect(b).toMatchObject([{ result: "4 degrees", resultKind: "ok" }]);
});

test("the lost answer of a call that was given up ends no other call", async () => {
  const [, b] = await twoCalls("", `send({ id: ids[0], result: null }); send({ id: ids[1], result: ${good} });`);
  expect(b).toMatchObject([{ result: "4 degrees", resultKind: "ok" }]);
});

test("once the call that was given up is answered, a lost answer ends the call that it was for", async () => {
  const [, b] = await twoCalls("", `send({ id: ids[0], result: ${good} }); send({ id: ids[1], result: null });`);
  expect(b).toMatchObject([{ resultKind: "error", cause: { code: "MCP_FAILED" } }]);
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
  [
    "a text that is one of its numbers",
    { ...text("3"), structuredContent: { open: 3, closed: 3, total: 6 } },
    '3\n{"open":3,"closed":3,"total":6}',
  ],
  ["a text that is a member's name for it", { ...text("3"), structuredContent: { open: 3 } }, '3\n{"open":3}'],
  [
    "texts that are short words of it",
    { ...text("true"), structuredContent: { ready: true, name: "true", list: [] } },
    'true\n{"ready":true,"name":"true","list":[]}',
  ],
  [
    "a short object that stands in it twice",
    { ...text('{"n":1}'), structuredContent: { open: { n: 1 }, closed: { n: 1 } } },
    '{"n":1}\n{"open":{"n":1},"closed":{"n":1}}',
  ],
  ["an empty list", { ...text("[]"), structuredContent: { items: [], result: [] } }, '[]\n{"items":[],"result":[]}'],
  ["the text of an empty list", { ...text("[]"), structuredContent: { result: [] } }, "[]"],
  ["a truth", { ...text("true"), structuredContent: { result: true } }, "true"],
  [
    "fewer texts than items",
    { ...text("two"), structuredContent: { result: ["two", "two"] } },
    'two\n{"result":["two","two"]}',
  ],
  [
    "JSON of a long member in another order",
    {
      ...text('{"names": ["Ada Lovelace"], "born": 1815}'),
      structuredContent: { person: { born: 1815, names: ["Ada Lovelace"] }, found: 1 },
    },
    '{"names": ["Ada Lovelace"], "born": 1815}\n{"found":1}',
  ],
  ["an empty object", { ...text("Done."), structuredContent: {} }, "Done.\n{}"],
])("structured content beside %s reaches the model once", async (_, result, text) => {
  const server = await serverThat(({ send }, id) => send({ id, result }));
  const { tools } = await toolsOf(server.client);
  const { toolCalls } = await engine().session({ tools, maxResultBytes: 100_000 }).run("Go");
  expect(toolCalls[0]?.result).toBe(text);
});

test("texts and values that are made to be compared with each other take no longer than their length", async () => {
  const texts = Array.from({ length: 20_000 }, (_, index) => ({ type: "text", text: `[${index}]` }));
  const values = Array.from({ length: 20_000 }, (_, index) => [-index - 1]);
  const [begin, long] = ["a".repeat(50_000), "a".repeat(2_000_000)];
  const result = {
    content: [{ type: "text", text: long }, ...texts],
    structuredContent: { values, text: `${begin}b${begin}` },
  };
  const server = await serverThat(({ send }, id) => send({ id, result }));
  const { tools } = await toolsOf(server.client, { deadlineMs: 0, maxCallMs: 0 });
  const session = engine().session({ tools });
  const used = process.cpuUsage();
  const { toolCalls } = await session.run("Go");
  const { user } = process.cpuUsage(used);
  expect(toolCalls[0]?.resultKind).toBe("ok");
  expect(user / 1e6).toBeLessThan(20);
});
