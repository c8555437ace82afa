// Base URLs: those that the server reports, and the response to a client with a wrong one.
import { expect, test } from "vitest";
import { createHandler } from "../../src/server/index.js";
import { openEngine } from "../support/engine.js";
import { chatOf, clientOf, openServer } from "../support/http/server.js";

test("url is the base URL for clients of OpenAI, and origin is without /v1", async () => {
  const { server, client } = await openServer(["Hello there."]);
  expect([server.url, server.origin]).toEqual([
    `http://127.0.0.1:${server.port}/v1`,
    `http://127.0.0.1:${server.port}`,
  ]);
  expect((await client.chat.completions.create(chatOf())).choices[0]?.message.content).toBe("Hello there.");
  expect((await fetch(`${server.origin}/health`)).status).toBe(200);
});

const meant: [path: string, at: string][] = [
  ["/chat/completions", "/v1/chat/completions"],
  ["/v1/v1/chat/completions", "/v1/chat/completions"],
  ["/api/v1/chat/completions", "/v1/chat/completions"],
  ["/openai/chat/completions", "/v1/chat/completions"],
  ["/v1/chat/completions/", "/v1/chat/completions"],
  ["//v1/chat/completions", "/v1/chat/completions"],
  ["/messages", "/v1/messages"],
  ["/v1/v1/messages/count_tokens", "/v1/messages/count_tokens"],
  ["/responses", "/v1/responses"],
  ["/models", "/v1/models"],
  ["/models/default", "/v1/models/default"],
  ["/v1/health", "/health"],
  ["/v1/sessions/one/runs", "/sessions/one/runs"],
];

test.each(meant)("at %s the response names %s, and its base URL", async (path, at) => {
  const { server, post } = await openServer();
  const response = await post(path, {});
  const { error } = (await response.json()) as { error: { message: string; code: string } };
  const bases = at.startsWith("/v1/")
    ? `the base URL is ${server.url} for clients of OpenAI, and ${server.origin} for clients of Anthropic`
    : `the base URL of this path is ${server.origin}`;
  expect([response.status, error.code, error.message]).toEqual([
    404,
    "not_found",
    `There is nothing at ${path}, but at ${at}: ${bases}`,
  ]);
});

test("the clients themselves say so", async () => {
  const { server } = await openServer();
  const wrong = clientOf({ ...server, url: server.origin });
  await expect(wrong.chat.completions.create(chatOf())).rejects.toThrow(`the base URL is ${server.url} for clients`);
});

test("behind another name the path is named without an address, and a path like no other has no advice", async () => {
  const handler = createHandler(await openEngine(["Hi."]), { checkHost: false });
  const said = async (path: string) =>
    (await (await handler(new Request(`https://app.example${path}`))).json()) as object;
  expect(await said("/api/chat/completions")).toMatchObject({
    error: { message: expect.stringContaining("the address of the server with /v1 for clients of OpenAI") as string },
  });
  expect(await said("/nothing/at/all")).toMatchObject({ error: { message: "There is nothing at /nothing/at/all" } });
  expect(await said(`/${"x/".repeat(5000)}v1/models`)).toMatchObject({
    error: { message: expect.stringMatching(/^There is nothing at .{200}$/) as string },
  });
});
