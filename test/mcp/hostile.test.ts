// Servers that hang, die, flood and babble, and calls that are given up: nothing hangs, and the engine continues.
import { expect, onTestFinished, test, vi } from "vitest";
import type { RunEvent } from "../../src/index.js";
import {
  type Answer,
  connected,
  entry,
  rawServer,
  stdio,
  text,
  toolsOf,
  workingEngine,
} from "../support/integrations/mcp.js";
import type { McpToolsOptions } from "../../src/mcp/index.js";

const engine = workingEngine();

const tools: Answer = () => ({ tools: [entry("work")] });
const silent: Answer = () => undefined;

/** The token with which a server tells of the progress of a call. */
const tokenOf = ({ _meta }: Record<string, unknown>): unknown => (_meta as { progressToken: number }).progressToken;

async function working(call: Answer, options: McpToolsOptions = {}) {
  const server = await rawServer({ "tools/list": tools, "tools/call": call });
  const mcp = await toolsOf(server.client, { origin: "mcp:s", ...options });
  return { server, mcp };
}

/** The engine still answers. */
async function expectUsable(): Promise<void> {
  expect((await engine().session().run("Hello")).finishReason).toBe("complete");
}

test("cancelling a run reaches the server, and its late answer is dropped", async () => {
  const { server, mcp } = await working(silent);
  const run = engine().session({ tools: mcp.tools }).run("Go");
  const call = await server.got(({ method }) => method === "tools/call");
  const begin = performance.now();
  run.cancel("enough");
  const cancelled = await server.got(({ method }) => method === "notifications/cancelled");
  console.log(`the server was notified after ${(performance.now() - begin).toFixed(1)} ms`);
  expect(cancelled.params).toMatchObject({ requestId: call.id });
  server.send({ id: call.id, result: text("too late") });
  const { finishReason, toolCalls } = await run;
  expect([finishReason, toolCalls[0]?.result]).toEqual(["cancelled", "cancelled: enough"]);
  await expectUsable();
});

test("a call that passes its deadline is cancelled at the server", async () => {
  const { server, mcp } = await working(silent, { deadlineMs: 100 });
  const { toolCalls } = await engine().session({ tools: mcp.tools }).run("Go");
  expect(toolCalls[0]?.result).toBe("timed out after 100 ms");
  await server.got(({ method }) => method === "notifications/cancelled");
  await expectUsable();
});

test("progress renews the deadline", async () => {
  const { server, mcp } = await working(
    async (params) => {
      const progressToken = tokenOf(params);
      for (let progress = 1; progress <= 8; progress++) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        server.send({ method: "notifications/progress", params: { progressToken, progress } });
      }
      return text("all");
    },
    { deadlineMs: 1_500 },
  );
  const { toolCalls } = await engine().session({ tools: mcp.tools }).run("Go");
  expect(toolCalls[0]?.result).toBe("all");
});

test("progress without end is ended by maxCallMs, and the server is notified", async () => {
  let stopped = false;
  const { server, mcp } = await working(
    (params) => {
      const progressToken = tokenOf(params);
      const flood = (progress: number): void => {
        const message = "x".repeat(10_000);
        for (let index = 0; index < 100; index++)
          server.send({ method: "notifications/progress", params: { progressToken, progress, message } });
        if (!stopped) setImmediate(flood, progress + 1);
      };
      flood(1);
    },
    { maxCallMs: 300, deadlineMs: 60_000 },
  );
  const run = engine().session({ tools: mcp.tools }).run("Go");
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  stopped = true;
  const { toolCalls } = await run;
  expect(toolCalls[0]).toMatchObject({
    result: "error: the MCP server mcp:s took more than 300 ms (maxCallMs)",
    cause: { code: "MCP_LIMIT" },
  });
  const progress = events.flatMap((event) => (event.type === "toolProgress" ? [event.message ?? ""] : []));
  expect(progress.length).toBeLessThan(100);
  expect(progress[0]?.length).toBeLessThan(1_100);
  await server.got(({ method }) => method === "notifications/cancelled");
  await expectUsable();
});

test("progress that is not a number of the engine's does no harm", async () => {
  const { server, mcp } = await working((params) => {
    const progressToken = tokenOf(params);
    for (const [progress, total] of [
      [-1, -1],
      [Infinity, 1],
      [1e308, 1e308],
    ])
      server.send({ method: "notifications/progress", params: { progressToken, progress, total } });
    return text("well");
  });
  const { toolCalls } = await engine().session({ tools: mcp.tools }).run("Go");
  expect(toolCalls[0]?.result).toBe("well");
});

test("a connection that breaks off in the middle of a call is an error of the call, and of all later ones", async () => {
  const { server, mcp } = await working(() => server.end());
  const session = engine().session({ tools: mcp.tools });
  const first = await session.run("Go");
  expect(first.toolCalls[0]).toMatchObject({
    result: "error: the MCP server mcp:s did not run the tool work: Connection closed (CONNECTION_CLOSED)",
    cause: { code: "MCP_FAILED" },
  });
  const second = await engine().session({ tools: mcp.tools }).run("Go");
  expect(second.toolCalls[0]?.result).toBe("error: the MCP server mcp:s did not run the tool work: Not connected");
  await expect(mcp.refresh()).rejects.toMatchObject({ code: "MCP_FAILED" });
  await expectUsable();
});

/** A server in a separate process, whose tool `work` runs the code. */
const program = (onCall: string): string => `
  const { createInterface } = require("node:readline");
  const names = ["work"];
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize")
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } });
    else if (method === "tools/list") send({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) } });
    else if (method === "notifications/cancelled") names.push("was_cancelled");
    else if (method === "tools/call") { ${onCall} }
  });`;

test.each([
  ["dies", "process.exit(3)", /Connection closed/],
  [
    "sends a message of 11 MB",
    'send({ id, result: { content: [{ type: "text", text: "x".repeat(11e6) }] } })',
    /closed/,
  ],
  ["prints what is not JSON, and answers", 'console.log("{oh"); send({ id, result: { content: [] } })', /^$/],
])("a process that %s in a call neither hangs nor ends the program", async (_, onCall, result) => {
  const client = await connected(stdio("--eval", program(onCall)));
  const mcp = await toolsOf(client, { origin: "mcp:s" });
  const { toolCalls } = await engine().session({ tools: mcp.tools }).run("Go");
  expect(toolCalls[0]?.result).toMatch(result);
  await expectUsable();
});

test("a cancel reaches a server in another process before the next request does", async () => {
  const client = await connected(
    stdio(
      "--eval",
      program(
        'send({ method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1 } })',
      ),
    ),
  );
  const mcp = await toolsOf(client);
  const run = engine().session({ tools: mcp.tools }).run("Go");
  for await (const event of run) if (event.type === "toolProgress") run.cancel(); // the server has the call
  await run;
  await mcp.refresh();
  expect(mcp.tools.map(({ name }) => name)).toEqual(["work", "was_cancelled"]);
});

test("a client that is connected again after its server has died serves the same tools", async () => {
  const client = await connected(stdio("--eval", program("process.exit(3)")));
  const mcp = await toolsOf(client);
  const session = engine().session({ tools: mcp.tools });
  await session.run("Go");
  await client.connect(stdio("--eval", program('send({ id, result: { content: [{ type: "text", text: "back" }] } })')));
  await mcp.refresh();
  const { toolCalls } = await engine().session({ tools: mcp.tools }).run("Go");
  expect(toolCalls[0]?.result).toBe("back");
});

test("an answer that is not a message of MCP fails its call at once", async () => {
  const { mcp } = await working(() => 7);
  const { toolCalls } = await engine().session({ tools: mcp.tools }).run("Go");
  expect(toolCalls[0]?.result).toMatch(/did not run the tool work: its answer is none/);
});

test("warnings without a handler are printed ten times at most", async () => {
  const { server } = await working(silent);
  const printed: string[] = [];
  const print = vi.spyOn(process, "emitWarning").mockImplementation((warning: string | Error) => {
    printed.push(warning instanceof Error ? warning.message : warning);
  });
  onTestFinished(() => print.mockRestore());
  for (let index = 0; index < 30; index++)
    await server.ask("elicitation/create", { message: "?", requestedSchema: { type: "object", properties: {} } });
  expect(printed.filter((one) => /while no call was under way/.test(one))).toHaveLength(10);
  expect(printed.at(-1)).toBe("llama-hooks: further warnings about the MCP server mcp:s are not printed");
});
