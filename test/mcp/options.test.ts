// Wrong arguments of mcpTools() and follow(), and tools after close().
import { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { limitedFetch, mcpTools } from "../../src/mcp/index.js";
import { entry, rawServer, text, toolsOf } from "../support/integrations/mcp.js";
import { openEngine, rejection } from "../support/engine.js";
import { calls } from "../support/sessions.js";

const server = () => rawServer({ "tools/list": () => ({ tools: [entry("work")] }), "tools/call": () => text("did") });

test.each([
  [{ prefix: "a__b" }, "prefix"],
  [{ prefix: "a_" }, "prefix"],
  [{ prefix: "a b" }, "prefix"],
  [{ prefix: "x".repeat(33) }, "prefix"],
  [{ origin: "" }, "origin"],
  [{ allow: "all" }, "allow"],
  [{ resources: 1 }, "resources"],
  [{ resources: true }, "resources"],
  [{ prompts: true }, "prompts"],
  [{ deadlineMs: -1 }, "deadlineMs"],
  [{ maxCallMs: 0.5 }, "maxCallMs"],
  [{ listTimeoutMs: 0 }, "listTimeoutMs"],
  [{ maxTools: 0 }, "maxTools"],
  [{ onWarning: true }, "onWarning"],
  [{ allowed: [] }, "allowed"],
])("mcpTools() refuses %o", async (options, param) => {
  const { client } = await server();
  const error = await rejection(mcpTools(client, options as never));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ param });
});

test("what is not a connected client is refused, with the line that installs one", async () => {
  const install = /a connected Client of @modelcontextprotocol\/client 2 \(npm install @modelcontextprotocol\/client\)/;
  await expect(mcpTools({} as never)).rejects.toThrow(install);
  await expect(mcpTools(undefined as never)).rejects.toThrow(install);
  const unconnected = new Client({ name: "test", version: "1" });
  await expect(mcpTools(unconnected)).rejects.toThrow("The client of mcpTools() is not connected");
});

test("a client has one mcpTools() at a time", async () => {
  const { client } = await server();
  const first = await mcpTools(client);
  await expect(mcpTools(client)).rejects.toThrow("The client of mcpTools() is in use by another mcpTools()");
  await first.close();
  expect((await toolsOf(client)).tools).toHaveLength(1);
});

test("after close() the tools refuse to work, and the client still works", async () => {
  const { client } = await server();
  const engine = await openEngine([calls("work"), "Done."]);
  const mcp = await mcpTools(client);
  const session = engine.session({ tools: mcp.tools });
  await mcp.close();
  await mcp.close();
  const { toolCalls } = await session.run("Go");
  expect(toolCalls[0]?.result).toBe("error: the tools of the MCP server mcp are closed");
  expect(() => mcp.follow(session)).toThrow(expect.objectContaining({ code: "CLOSED" }));
  await expect(mcp.refresh()).rejects.toMatchObject({ code: "CLOSED" });
  expect(await client.ping()).toEqual({});
});

test("follow() refuses what is not a session and what is not a function", async () => {
  const { client } = await server();
  const mcp = await toolsOf(client);
  expect(() => mcp.follow({} as never)).toThrow(/The session of follow\(\) must be a session/);
  const session = (await openEngine(["Done."])).session();
  expect(() => mcp.follow(session, [] as never)).toThrow(/must be a function that returns tools/);
});

test("limitedFetch() refuses what is not a number of bytes", () => {
  expect(() => limitedFetch(0)).toThrow(/maxBytes of limitedFetch\(\) must be an integer of at least 1/);
  expect(() => limitedFetch(undefined as never)).toThrow(TypeError);
  expect(() => limitedFetch(1, "fetch" as never)).toThrow(/fetch of limitedFetch\(\) must be a function/);
});
