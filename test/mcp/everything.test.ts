// The tools of MCP's own test server, over stdio: how its results, progress and questions reach a run.
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunEvent } from "../../src/index.js";
import type { McpToolsOptions } from "../../src/mcp/index.js";
import { newClient, serverFile, stdio, toolsOf } from "../support/integrations/mcp.js";
import { openEngine } from "../support/engine.js";
import { calls } from "../support/sessions.js";

let client: Client;
beforeAll(async () => {
  client = newClient();
  await client.connect(stdio(serverFile("everything")));
});
afterAll(() => client.close());

/** A session whose model calls the tool once. */
async function sessionOf(name: string, args: Record<string, unknown> = {}, options: McpToolsOptions = {}) {
  const engine = await openEngine([calls(`all__${name}`, args), "Done."]);
  const allow = options.resources === true ? [] : [name];
  const mcp = await toolsOf(client, { prefix: "all", allow, ...options });
  return { engine, mcp, session: engine.session({ tools: mcp.tools, maxResultBytes: 65_536 }) };
}

async function called(name: string, args?: Record<string, unknown>, options?: McpToolsOptions) {
  const { session, mcp } = await sessionOf(name, args, options);
  const { toolCalls } = await session.run("Go");
  await mcp.close();
  return toolCalls[0];
}

test("a session has the server's tools with their annotations and origin", async () => {
  const { tools, skipped, origin } = await toolsOf(client, { prefix: "all" });
  const echo = tools.find(({ name }) => name === "all__echo");
  expect(echo).toMatchObject({
    description: "Echoes back the input string",
    annotations: { title: "Echo Tool", readOnlyHint: true, destructiveHint: false },
    origin: "mcp:all",
  });
  expect([origin, tools.length]).toEqual(["mcp:all", 13]);
  expect(skipped).toEqual([
    { name: "simulate-research-query", reason: "it runs as an MCP task only, which is not supported" },
  ]);
});

test("the model receives texts as they are", async () => {
  expect(await called("echo", { message: "hi" })).toMatchObject({ result: "Echo: hi", resultKind: "ok" });
});

test("the model learns that there is an image, and the caller gets it", async () => {
  const call = await called("get-tiny-image");
  expect(call?.result).toMatch(
    /^Here's the image you requested:\n\[image image\/png, \d+ bytes; not shown: you can read text only\]\n/,
  );
  expect(call?.parts).toEqual([
    expect.objectContaining({ type: "text" }),
    expect.objectContaining({ type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) as string }),
    expect.objectContaining({ type: "text" }),
  ]);
});

test("structured content that the server repeats as a text reaches the model once", async () => {
  const call = await called("get-structured-content", { location: "Chicago" });
  expect(call?.result).toBe('{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}');
  expect(call?.parts?.at(-1)).toEqual({
    type: "structured_content",
    structuredContent: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 },
  });
});

test("links to resources, and resources within a result, reach the model with their URI", async () => {
  const links = await called("get-resource-links", { count: 1 });
  expect(links?.result).toBe(
    "Here are 1 resource links to resources available in this server:\n" +
      '[resource demo://resource/dynamic/blob/1 "Blob Resource 1", text/plain, Resource 1: plaintext resource]',
  );
  const embedded = await called("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  expect(embedded?.result).toMatch(/\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: This is a plaintext/);
});

test("progress of the server is progress of the run", async () => {
  const { session } = await sessionOf("trigger-long-running-operation", { duration: 0.4, steps: 2 });
  const run = session.run("Go");
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  // The client drops progress that arrives together with the result.
  expect(events.find(({ type }) => type === "toolProgress")).toMatchObject({ done: 1, total: 2 });
});

test("a question of the server is answered by a hook at elicitation", async () => {
  const { engine, session } = await sessionOf("trigger-elicitation-request");
  const asked: unknown[] = [];
  engine.hooks.on("elicitation", ({ message, toolName }) => {
    asked.push([message, toolName]);
    return { action: "accept", content: { name: "Ada", check: true } };
  });
  const { toolCalls } = await session.run("Go");
  expect(asked).toEqual([["Please provide inputs for the following fields:", "all__trigger-elicitation-request"]]);
  expect(toolCalls[0]?.result).toContain("Ada");
});

test("without a hook the server's question is declined", async () => {
  const call = await called("trigger-elicitation-request");
  expect(call?.result).toContain("declined");
});

test("the model reads resources and prompts with tools of their own", async () => {
  const options = { resources: true, prompts: true };
  const listed = await called("list_resources", {}, options);
  expect(listed?.result).toContain('demo://resource/static/document/architecture.md "architecture.md", text/markdown');
  const templates = await called("list_resources", { templates: true }, options);
  expect(templates?.result).toContain("demo://resource/dynamic/text/{resourceId}");
  const read = await called("read_resource", { uri: "demo://resource/dynamic/text/1" }, options);
  expect(read?.result).toMatch(/^\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1/);
  const blob = await called("read_resource", { uri: "demo://resource/dynamic/blob/1" }, options);
  expect(blob?.result).toMatch(/^\[resource .* text\/plain, \d+ bytes; not shown: you can read text only\]$/);
  expect(blob?.parts).toHaveLength(1);
  const prompts = await called("list_prompts", {}, options);
  expect(prompts?.result).toContain(
    "args-prompt(city, state?), A prompt with two arguments, one required and one optional",
  );
  const prompt = await called("get_prompt", { name: "args-prompt", arguments: { city: "Oslo" } }, options);
  expect(prompt?.result).toBe("user: What's weather in Oslo?");
});
