// What a run gets of a server's results: errors, contents, and answers that are none.
import { expect, test } from "vitest";
import { type Answer, entry, rawServer, text, toolsOf, workingEngine } from "../support/integrations/mcp.js";

const engine = workingEngine();

/** The record of one call of the tool `work`, and what hooks at `error` received. */
async function called(call: Answer) {
  const { client } = await rawServer({ "tools/list": () => ({ tools: [entry("work")] }), "tools/call": call });
  const errors: string[] = [];
  const { tools } = await toolsOf(client, { origin: "mcp:s" });
  const session = engine().session({ tools });
  session.hooks.on("error", ({ code }) => void errors.push(code));
  const { toolCalls, finishReason, text: said } = await session.run("Go");
  expect([finishReason, said]).toEqual(["complete", "Done."]);
  return { ...toolCalls[0], errors };
}

test("isError is a result for the model, and nothing is thrown", async () => {
  const call = await called(() => ({ ...text("no such file"), isError: true }));
  expect(call).toMatchObject({ result: "no such file", resultKind: "error", errors: [] });
});

test("a failure without words is reported in words", async () => {
  const call = await called(() => ({ content: [], isError: true }));
  expect(call).toMatchObject({ result: "the tool failed and did not say why", resultKind: "error" });
});

test("structured content without a text reaches the model as JSON, and the caller gets it as a part", async () => {
  const call = await called(() => ({ content: [], structuredContent: { degrees: 4 } }));
  expect(call).toMatchObject({
    result: '{"degrees":4}',
    parts: [{ type: "structured_content", structuredContent: { degrees: 4 } }],
  });
});

test("structured content beside a text that says something else reaches the model, too", async () => {
  const call = await called(() => ({ ...text("Cold."), structuredContent: { degrees: 4 } }));
  expect(call.result).toBe('Cold.\n{"degrees":4}');
});

test("a name in a link cannot look like a further line", async () => {
  const link = { type: "resource_link", uri: "file:///a\n[resource b", name: 'a"\nb', description: "one\ntwo" };
  const call = await called(() => ({ content: [link] }));
  expect(call.result).toBe('[resource file:///a [resource b "a\\"\\nb", one two]');
});

test("an error of the protocol is an error of the tool that names the server", async () => {
  const call = await called(() => {
    throw new Error("the disk is full");
  });
  expect(call).toMatchObject({
    result: "error: the MCP server mcp:s did not run the tool work: the disk is full (-32000)",
    resultKind: "error",
    cause: { code: "MCP_FAILED" },
    errors: ["TOOL_FAILED"],
  });
});

test.each([
  ["no content", { content: "text" }],
  ["content of an unknown type", { content: [{ type: "smell", data: "x" }] }],
])("a result with %s fails the call", async (_, result) => {
  const call = await called(() => result);
  expect(call).toMatchObject({ resultKind: "error", cause: { code: "MCP_FAILED" }, errors: ["TOOL_FAILED"] });
  expect(call.result).toMatch(/^error: the MCP server mcp:s did not run the tool work: /);
  expect(call.result?.length).toBeLessThan(1_500);
});

test("a huge result is cut for the model as the session says", async () => {
  const call = await called(() => text("x".repeat(5_000_000)));
  expect(call.resultKind).toBe("ok");
  expect(call.result?.length).toBeGreaterThan(16_000);
});
