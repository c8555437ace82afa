// Questions of a server for the user: which call they belong to, and those that no hook is asked.
import { expect, test } from "vitest";
import type { Engine, LlamaHooksError } from "../../src/index.js";
import type { McpTools, McpToolsOptions } from "../../src/mcp/index.js";
import { entry, type Message, type RawServer, rawServer, text, toolsOf } from "../support/integrations/mcp.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { calls } from "../support/sessions.js";

const schema = { type: "object", properties: { nights: { type: "integer" } }, required: ["nights"] };
const question = { message: "How many nights?", requestedSchema: schema };

/** The server's tool `book` asks before it answers with the user's answer. */
async function asking(params: object = question, options: McpToolsOptions = {}) {
  const answers: Message[] = [];
  const server: RawServer = await rawServer({
    "tools/list": () => ({ tools: [entry("book")] }),
    "tools/call": async () => {
      const answer = await server.ask("elicitation/create", params);
      answers.push(answer);
      return text(JSON.stringify(answer.result ?? "an error"));
    },
  });
  const warned: LlamaHooksError[] = [];
  const mcp = await toolsOf(server.client, {
    origin: "mcp:s",
    onWarning: (problem) => void warned.push(problem),
    ...options,
  });
  return { server, mcp, warned, answers };
}

async function booked(mcp: McpTools, prepare?: (engine: Engine) => void) {
  const engine = await openEngine([calls("book"), "Done."]);
  prepare?.(engine);
  const { toolCalls } = await engine.session({ tools: mcp.tools }).run("Go");
  return toolCalls[0]?.result;
}

test("a hook's content is the answer that the server gets", async () => {
  const { mcp } = await asking();
  const result = await booked(mcp, (engine) => {
    engine.hooks.on("elicitation", ({ message, schema: form }) => {
      expect([message, form]).toEqual(["How many nights?", schema]);
      return { action: "accept", content: { nights: 2 } };
    });
  });
  expect(JSON.parse(result ?? "")).toEqual({ action: "accept", content: { nights: 2 } });
});

test("content that does not fit the server's schema is declined", async () => {
  const { mcp } = await asking();
  const accept = { action: "accept", content: { nights: "two" } } as const;
  const result = await booked(mcp, (engine) => void engine.hooks.on("elicitation", () => accept));
  expect(JSON.parse(result ?? "")).toEqual({ action: "decline" });
});

test("the time of a question does not count towards maxCallMs", async () => {
  const { mcp } = await asking(question, { maxCallMs: 1_500 });
  const result = await booked(mcp, (engine) => {
    engine.hooks.on("elicitation", async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_800));
      return { action: "accept", content: { nights: 1 } };
    });
  });
  expect(JSON.parse(result ?? "")).toMatchObject({ action: "accept" });
});

test("a question while no call is under way is declined, and onWarning is called", async () => {
  const { server, warned } = await asking();
  expect((await server.ask("elicitation/create", question)).result).toEqual({ action: "decline" });
  expect(warned.map(({ message }) => message)).toEqual([
    "the MCP server mcp:s asked a question while no call was under way; the answer was: decline",
  ]);
});

test("a question that may belong to either of two calls is declined, and onWarning is called", async () => {
  const both = gate();
  let open = 0;
  const server: RawServer = await rawServer({
    "tools/list": () => ({
      tools: [entry("book", { inputSchema: { type: "object", properties: { n: { type: "integer" } } } })],
    }),
    "tools/call": async () => {
      if (++open === 2) both.open();
      await both.passed;
      const { result } = await server.ask("elicitation/create", question);
      return text(JSON.stringify(result));
    },
  });
  const warned: string[] = [];
  const mcp = await toolsOf(server.client, { onWarning: ({ message }) => void warned.push(message) });
  const engine = await openEngine([{ toolCalls: [1, 2].map((n) => ({ name: "book", args: { n } })) }, "Done."]);
  engine.hooks.on("elicitation", () => expect.unreachable());
  const { toolCalls } = await engine.session({ tools: mcp.tools }).run("Go");
  expect(toolCalls.map(({ result }) => result)).toEqual(Array(2).fill('{"action":"decline"}'));
  expect(warned[0]).toMatch(/asked a question while several calls were under way, without saying for which/);
});

test("a question that a page on the web asks is declined", async () => {
  const params = { mode: "url", message: "Sign in", url: "https://a.example/", elicitationId: "1" };
  const server: RawServer = await rawServer(
    {
      "tools/list": () => ({ tools: [entry("book")] }),
      "tools/call": async () => text(JSON.stringify((await server.ask("elicitation/create", params)).result)),
    },
    undefined,
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  const warned: string[] = [];
  const mcp = await toolsOf(server.client, { onWarning: ({ message }) => void warned.push(message) });
  expect(await booked(mcp)).toBe('{"action":"decline"}');
  expect(warned[0]).toMatch(/URL mode/);
});

test("a schema that cannot be answered is an error for the server, and the call continues", async () => {
  const bad = {
    ...question,
    requestedSchema: { type: "object", properties: { n: { type: "string", minLength: -1 } } },
  };
  const { mcp, answers } = await asking(bad);
  expect(await booked(mcp)).toBe('"an error"');
  expect(answers[0]?.error).toMatchObject({ message: expect.stringContaining("schema") as string });
});

test("a server that asks without end is declined after 64 questions", async () => {
  const actions: unknown[] = [];
  const server: RawServer = await rawServer({
    "tools/list": () => ({ tools: [entry("book")] }),
    "tools/call": async () => {
      for (let index = 0; index < 66; index++)
        actions.push(((await server.ask("elicitation/create", question)).result as { action: string }).action);
      return text("asked");
    },
  });
  const warned: LlamaHooksError[] = [];
  const mcp = await toolsOf(server.client, { onWarning: (problem) => void warned.push(problem) });
  const accept = { action: "accept", content: { nights: 1 } } as const;
  expect(await booked(mcp, (engine) => void engine.hooks.on("elicitation", () => accept))).toBe("asked");
  expect([actions.filter((one) => one === "accept").length, actions.slice(-2)]).toEqual([64, ["decline", "decline"]]);
  expect(warned.map(({ code }) => code)).toEqual(["MCP_LIMIT", "MCP_LIMIT"]);
});

test("a client's own handler answers in place of the hooks", async () => {
  const server = await rawServer({ "tools/list": () => ({ tools: [entry("book")] }) });
  server.client.setRequestHandler("elicitation/create", () => ({ action: "cancel" }));
  const mcp = await toolsOf(server.client);
  expect((await server.ask("elicitation/create", question)).result).toEqual({ action: "cancel" });
  await mcp.close();
  expect((await server.ask("elicitation/create", question)).result).toEqual({ action: "cancel" });
});

test("a client that does not take questions has none", async () => {
  const server = await rawServer({ "tools/list": () => ({ tools: [entry("book")] }) }, undefined, { capabilities: {} });
  await toolsOf(server.client);
  expect((await server.ask("elicitation/create", question)).error).toMatchObject({ code: -32601 });
});
