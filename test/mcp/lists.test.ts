// Which tools of a server a session gets: names, choices, wrong entries, and lists that do not end.
import { expect, test } from "vitest";
import { mcpTools, type McpToolsOptions } from "../../src/mcp/index.js";
import { type Answer, entry, rawServer, text, toolsOf } from "../support/integrations/mcp.js";
import { openEngine, rejection } from "../support/engine.js";
import { calls } from "../support/sessions.js";

const listing = (list: Answer, options?: McpToolsOptions) =>
  rawServer({ "tools/list": list }).then(({ client }) => mcpTools(client, options));

async function listed(entries: readonly unknown[], options?: McpToolsOptions) {
  const { client } = await rawServer({ "tools/list": () => ({ tools: entries }) });
  const { tools, skipped } = await toolsOf(client, options);
  return { names: tools.map(({ name }) => name), tools, skipped };
}

test("all pages of a list are read", async () => {
  const pages = { first: ["a", "b"], second: ["c"] };
  const tools = await listing(({ cursor }) =>
    cursor === undefined
      ? { tools: pages.first.map((one) => entry(one)), nextCursor: "second" }
      : { tools: [entry("c")] },
  );
  expect(tools.tools.map(({ name }) => name)).toEqual([...pages.first, ...pages.second]);
});

test("characters that the engine does not take become _, and a long name ends with a hash", async () => {
  const long = "read/".repeat(30);
  const { names } = await listed([entry("fs.read"), entry("größe"), entry(long)], { prefix: "files" });
  expect(names).toEqual(["files__fs_read", "files__gr__e", expect.stringMatching(/^files__(read_)+\w+_[0-9a-f]{8}$/)]);
  expect(names[2]).toHaveLength(128);
});

test("a tool with a changed name is called by its own name", async () => {
  const { client, got } = await rawServer({
    "tools/list": () => ({ tools: [entry("fs.read")] }),
    "tools/call": () => text("read"),
  });
  const engine = await openEngine([calls("fs_read", {}), "Done."]);
  const { tools } = await toolsOf(client);
  const { toolCalls } = await engine.session({ tools }).run("Go");
  expect(toolCalls[0]?.result).toBe("read");
  expect((await got(({ method }) => method === "tools/call")).params).toMatchObject({ name: "fs.read", arguments: {} });
});

test("allow takes the named tools, by the server's names, and no others", async () => {
  const entries = ["a.b", "c", "d"].map((name) => entry(name));
  expect((await listed(entries, { allow: ["a.b", "d"] })).names).toEqual(["a_b", "d"]);
  const error = await rejection(listing(() => ({ tools: entries }), { origin: "mcp:x", allow: ["c", "e"] }));
  expect(error).toMatchObject({
    code: "NOT_FOUND",
    message: 'the MCP server mcp:x has no tool named "e", which allow names',
  });
});

test("an entry that is wrong costs its tool alone, and says why", async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`) as object;
  const wrong: readonly [unknown, string][] = [
    [7, "the entry of the list has no name"],
    [entry(""), "the entry of the list has no name"],
    [{ name: "b" }, 'its inputSchema is not a schema with the type "object"'],
    [entry("c", { inputSchema: { type: "string" } }), 'its inputSchema is not a schema with the type "object"'],
    [entry("ok"), "another tool is named ok, too"],
    [entry("complete"), "a control tool of the engine has this name; set a prefix"],
    [entry("e", { annotations: { readOnlyHint: "yes" } }), 'readOnlyHint must be true or false, got "yes"'],
    [entry("f", { execution: { taskSupport: "required" } }), "it runs as an MCP task only, which is not supported"],
    [entry("g", { description: "x".repeat(70_000) }), "more than 65536"],
    [entry("h", { inputSchema: { type: "object", deep } }), "nested"],
  ];
  const { names, skipped } = await listed([entry("ok"), ...wrong.map(([one]) => one), entry("last")]);
  expect(names).toEqual(["ok", "last"]);
  expect(skipped.map(({ reason }) => reason)).toEqual(
    wrong.map(([, reason]) => expect.stringContaining(reason) as string),
  );
});

test("a schema of draft 04 costs its tool, which the session reports; its other tools work", async () => {
  const draft4 = {
    $schema: "http://json-schema.org/draft-04/schema#",
    type: "object",
    properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true } },
  };
  const { client } = await rawServer({
    "tools/list": () => ({ tools: [entry("old", { inputSchema: draft4 }), entry("new")] }),
    "tools/call": () => text("works"),
  });
  const engine = await openEngine([calls("new"), "Done."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  const { tools } = await toolsOf(client);
  const { toolCalls } = await engine.session({ tools }).run("Go");
  expect([toolCalls[0]?.result, errors]).toEqual([
    "works",
    [expect.stringMatching(/^INVALID_SCHEMA .*"old".*exclusiveMinimum/)],
  ]);
});

test("a description with a NUL character reaches the model as a whole", async () => {
  const { tools } = await listed([entry("a", { description: "one\0two" })]);
  expect(tools[0]?.description).toBe("one\ufffdtwo");
});

test.each<[string, Answer, McpToolsOptions, string, RegExp]>([
  ["a list in a circle", () => ({ tools: [], nextCursor: "again" }), {}, "MCP_LIMIT", /lists its tools in a circle$/],
  [
    "a list without an end",
    ({ cursor }) => ({ tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` }),
    {},
    "MCP_LIMIT",
    /on more than 100 pages$/,
  ],
  [
    "100,000 tools",
    () => ({ tools: Array.from({ length: 100_000 }, (_, index) => entry(`t${index}`)) }),
    { maxTools: 1_000_000 },
    "MCP_LIMIT",
    /lists more than 10000 tools$/,
  ],
  [
    "more tools than maxTools",
    () => ({ tools: [entry("a"), entry("b"), entry("c")] }),
    { maxTools: 2 },
    "MCP_LIMIT",
    /has more than 2 tools \(maxTools\)/,
  ],
  ["no list", () => ({ tools: "none" }), {}, "MCP_FAILED", /answered tools\/list without an array of tools$/],
  ["an error", () => Promise.reject(new Error("down")), {}, "MCP_FAILED", /did not list its tools: down \(-32000\)$/],
  ["no answer", () => undefined, { listTimeoutMs: 100 }, "MCP_FAILED", /no end after 100 ms \(listTimeoutMs\)$/],
])("a server with %s is refused with a code", async (_, list, options, code, message) => {
  const error = await rejection(listing(list, options));
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
});

test("a server without tools has none, and is not asked for them", async () => {
  const { client, received } = await rawServer({}, { prompts: {} });
  const { tools } = await toolsOf(client, { prefix: "p", prompts: true });
  expect(tools.map(({ name }) => name)).toEqual(["p__list_prompts", "p__get_prompt"]);
  expect(received.map(({ method }) => method)).not.toContain("tools/list");
});
