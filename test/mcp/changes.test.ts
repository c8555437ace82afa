// Lists of tools that change: sessions that follow them, several servers in a session, servers that never stop.
import { expect, test } from "vitest";
import { type SessionTool, tool } from "../../src/index.js";
import type { LlamaHooksError } from "../../src/index.js";
import { entry, type RawServer, rawServer, text, toolsOf } from "../support/integrations/mcp.js";
import { openEngine } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { calls, resultTexts } from "../support/sessions.js";

const changed = { method: "notifications/tools/list_changed" };

/** A server whose list a test changes. */
async function changing(...names: string[]): Promise<RawServer & { set(...names: string[]): void; lists(): number }> {
  let now = names;
  let lists = 0;
  const server = await rawServer({
    "tools/list": () => {
      lists++;
      return { tools: now.map((name) => entry(name)) };
    },
    "tools/call": ({ name }) => text(`${String(name)} did it`),
  });
  const set = (...next: string[]): void => {
    now = next;
    server.send(changed);
  };
  return { ...server, set, lists: () => lists };
}

test("a session that follows gets the new tools before its next iteration", async () => {
  const server = await changing("first");
  const engine = await openEngine([calls("s__first"), calls("s__second"), "Done."]);
  const mcp = await toolsOf(server.client, { prefix: "s" });
  const session = engine.session();
  mcp.follow(session);
  const taken = gate();
  const setTools = session.setTools.bind(session);
  session.setTools = (tools) => {
    setTools(tools);
    taken.open();
  };
  engine.hooks.on("postToolCall", async ({ toolName }) => {
    if (toolName !== "s__first") return undefined;
    server.set("second");
    await taken.passed;
    return undefined;
  });
  const result = await session.run("Go");
  expect(resultTexts(result)).toEqual(["first did it", "second did it"]);
  expect(mcp.tools.map(({ name }) => name)).toEqual(["s__second"]);
});

test("two servers and a tool of the program's own work in one session, and only one list changes", async () => {
  const [one, two] = [await changing("look"), await changing("look")];
  const engine = await openEngine([
    { toolCalls: ["a__look", "b__other", "own"].map((name) => ({ name, args: {} })) },
    "Done.",
  ]);
  const a = await toolsOf(one.client, { prefix: "a" });
  const b = await toolsOf(two.client, { prefix: "b" });
  const own = tool({ name: "own", run: () => "own did it" });
  const all = (): SessionTool[] => [own, ...a.tools, ...b.tools];
  const session = engine.session({ tools: all() });
  a.follow(session, all);
  b.follow(session, all);
  two.set("other");
  await b.refresh();
  const result = await session.run("Go");
  expect(resultTexts(result)).toEqual(["look did it", "other did it", "own did it"]);
});

test("two servers with one name for a tool are refused, and the message has both origins", async () => {
  const [one, two] = [await changing("look"), await changing("look")];
  const a = await toolsOf(one.client, { origin: "mcp:a" });
  const b = await toolsOf(two.client, { origin: "mcp:b" });
  const engine = await openEngine(["Done."]);
  expect(() => engine.session({ tools: [...a.tools, ...b.tools] })).toThrow(
    'tools has two tools named "look": one of mcp:a and one of mcp:b',
  );
});

test("a session that refuses changed tools keeps its tools, and onWarning gets the reason", async () => {
  const server = await changing("look");
  const engine = await openEngine([calls("look"), "Done."]);
  const warned: LlamaHooksError[] = [];
  const mcp = await toolsOf(server.client, { origin: "mcp:s", onWarning: (problem) => void warned.push(problem) });
  const own = tool({ name: "own", run: () => "own did it" });
  const session = engine.session();
  mcp.follow(session, () => [own, ...mcp.tools]);
  server.set("own");
  await mcp.refresh();
  expect(warned.map(({ message }) => message)).toEqual([
    'a session did not take the changed tools (mcp:s): tools has two tools named "own": one without an origin and one of mcp:s',
  ]);
  expect(resultTexts(await session.run("Go"))).toEqual(["look did it"]);
});

test("a changed list that is refused changes nothing, and onWarning gets the reason", async () => {
  let broken = false;
  const warned = gate();
  const problems: string[] = [];
  const { client, send } = await rawServer({
    "tools/list": () => (broken ? { tools: [], nextCursor: "again" } : { tools: [entry("look")] }),
  });
  const mcp = await toolsOf(client, {
    origin: "mcp:s",
    onWarning: ({ message }) => {
      problems.push(message);
      warned.open();
    },
  });
  broken = true;
  await expect(mcp.refresh()).rejects.toMatchObject({ code: "MCP_LIMIT" });
  send(changed);
  await warned.passed;
  expect(problems).toEqual([
    "a changed list of tools was not taken (mcp:s): the MCP server mcp:s lists its tools in a circle",
  ]);
  expect(mcp.tools.map(({ name }) => name)).toEqual(["look"]);
});

test("any number of changes at once cause few listings", async () => {
  const server = await changing("look");
  const mcp = await toolsOf(server.client);
  for (let index = 0; index < 10_000; index++) server.send(changed);
  await server.client.ping();
  await mcp.refresh();
  expect(server.lists()).toBeLessThan(5);
});

test("sessions that have ended, or were let go, are not followed", async () => {
  const server = await changing("look");
  const engine = await openEngine(["Done."]);
  const mcp = await toolsOf(server.client, { onWarning: () => expect.unreachable() });
  const sets: string[] = [];
  const followed = (name: string) => {
    const session = engine.session();
    const following = mcp.follow(session);
    session.setTools = () => void sets.push(name);
    return { session, following };
  };
  const [closed, letGo, kept] = ["closed", "let go", "kept"].map(followed);
  await closed?.session.close();
  letGo?.following[Symbol.dispose]();
  await kept?.session.fork().close();
  server.set("other");
  await mcp.refresh();
  expect(sets).toEqual(["kept"]);
});
