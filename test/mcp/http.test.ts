// Servers over streamable HTTP: MCP's test server, and one of the protocol of 2026, whose questions and changes come in
// another way.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { limitedFetch, type McpToolsOptions } from "../../src/mcp/index.js";
import { connected, entry, newClient, serverFile, text, toolsOf } from "../support/integrations/mcp.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { calls as call, resultTexts } from "../support/sessions.js";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The address of MCP's test server in a separate process. */
async function everythingOverHttp(): Promise<URL> {
  const port = await freePort();
  const child = spawn(process.execPath, [serverFile("everything"), "streamableHttp"], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const listening = gate();
  child.stderr.on("data", (text: Buffer) => String(text).includes("listening") && listening.open());
  await listening.passed;
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

test("calls of two sessions at once get their own questions, because each is asked in the call's own stream", async () => {
  const client = await connected(new StreamableHTTPClientTransport(await everythingOverHttp()));
  const mcp = await toolsOf(client, { prefix: "all", allow: ["trigger-elicitation-request"] });
  const engine = await openEngine([call("all__trigger-elicitation-request"), "Done."], { parallel: 2 });
  const asked = gate();
  let questions = 0;
  engine.hooks.on("elicitation", async ({ meta }) => {
    if (++questions === 2) asked.open();
    await asked.passed; // both are open
    return { action: "accept", content: { name: meta.sessionId, check: true } };
  });
  const sessions = [engine.session({ tools: mcp.tools }), engine.session({ tools: mcp.tools })];
  const results = await Promise.all(sessions.map((session) => session.run("Go")));
  expect(results.map((result) => resultTexts(result)[0]?.includes("accept"))).toEqual([true, true]);
  for (const [index, session] of sessions.entries()) expect(results[index]?.toolCalls[0]?.result).toContain(session.id);
});

test.each([false, true])(
  "limitedFetch() refuses a message that is too long, and lets others pass (event stream: %s)",
  async (stream) => {
    const encoded = (message: object): string =>
      stream ? `data: ${JSON.stringify(message)}\n\n` : JSON.stringify(message);
    const type = stream ? "text/event-stream" : "application/json";
    const answer = (message: object): Response => new Response(encoded(message), { headers: { "content-type": type } });
    let calls = 0;
    const server = (_: unknown, init?: RequestInit): Promise<Response> => {
      if (init?.method !== "POST") return Promise.resolve(new Response(null, { status: 405 }));
      const { id, method, params } = JSON.parse(String(init.body)) as {
        id?: number;
        method: string;
        params: { protocolVersion: string };
      };
      if (id === undefined) return Promise.resolve(new Response(null, { status: 202 }));
      const results: Readonly<Record<string, () => object>> = {
        initialize: () => ({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "x", version: "1" },
        }),
        "tools/list": () => ({ tools: [entry("work")] }),
        "tools/call": () => text("x".repeat(++calls === 1 ? 50_000 : 200_000)),
      };
      return Promise.resolve(answer({ jsonrpc: "2.0", id, result: results[method]?.() }));
    };
    const fetch = limitedFetch(100_000, server as typeof globalThis.fetch);
    const client = await connected(new StreamableHTTPClientTransport(new URL("http://x.example/mcp"), { fetch }));
    const engine = await openEngine({ replies: [call("work"), "Done."], afterLast: "repeat" });
    const called = async (options: McpToolsOptions) => {
      const mcp = await toolsOf(client, options);
      const { toolCalls } = await engine.session({ tools: mcp.tools }).run("Go");
      await mcp.close();
      return toolCalls[0]?.resultKind;
    };
    expect(await called({})).toBe("ok");
    expect(await called(stream ? { deadlineMs: 200 } : {})).toBe(stream ? "timeout" : "error");
  },
);

const form = z.object({ nights: z.int() });

/** A server of the protocol of 2026 with a tool that asks how many nights; `asking` is awaited before each question. */
function bookingServer(nameOf: () => string, asking: () => Promise<void> = () => Promise.resolve()) {
  return createMcpHandler(() => {
    const server = new McpServer({ name: "modern", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    const name = nameOf();
    server.registerTool(name, { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "nights", form);
      if (answer !== undefined) return { content: [{ type: "text", text: `${name}: ${answer.nights}` }] };
      await asking();
      const ask = inputRequired.elicit({ message: "How many nights?", requestedSchema: form });
      return inputRequired({ inputRequests: { nights: ask } });
    });
    return server;
  });
}

/** A client of such a server, which negotiates the protocol. */
async function modernClient(handler: ReturnType<typeof createMcpHandler>): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL("http://modern.example/mcp"), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  });
  const client = newClient({ versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getProtocolEra()).toBe("modern");
  return client;
}

test("a server of the protocol of 2026 asks with its answer, and tells of changes in a stream", async () => {
  let name = "book";
  const handler = bookingServer(() => name);
  const mcp = await toolsOf(await modernClient(handler), { prefix: "m" });
  const engine = await openEngine([call("m__book"), call("m__reserve"), "Done."]);
  const taken = gate();
  const session = engine.session();
  mcp.follow(session);
  const setTools = session.setTools.bind(session);
  session.setTools = (tools) => {
    setTools(tools);
    taken.open();
  };
  engine.hooks.on("elicitation", () => ({ action: "accept", content: { nights: 2 } }));
  engine.hooks.on("postToolCall", async ({ toolName }) => {
    if (toolName !== "m__book") return undefined;
    name = "reserve";
    handler.notify.toolsChanged();
    await taken.passed;
    return undefined;
  });
  expect(resultTexts(await session.run("Go"))).toEqual(["book: 2", "reserve: 2"]);
  await mcp.close();
  await handler.close();
});

test("a question of the protocol of 2026 belongs to its call, however many are under way", async () => {
  const both = gate();
  let calling = 0;
  const handler = bookingServer(
    () => "book",
    () => {
      if (++calling === 2) both.open();
      return both.passed;
    },
  );
  const mcp = await toolsOf(await modernClient(handler));
  const engine = await openEngine({ replies: [call("book"), "Done."], afterLast: "repeat" }, { parallel: 2 });
  const nights = new Map<string | null, number>();
  engine.hooks.on("elicitation", ({ meta }) => ({
    action: "accept",
    content: { nights: nights.get(meta.sessionId) ?? 0 },
  }));
  const sessions = [3, 5].map((count) => {
    const session = engine.session({ tools: mcp.tools });
    nights.set(session.id, count);
    return session;
  });
  const runs = await Promise.all(sessions.map((session) => session.run("Go")));
  expect(runs.map(resultTexts)).toEqual([["book: 3"], ["book: 5"]]);
  await mcp.close();
  await handler.close();
});
