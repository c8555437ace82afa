// The server's handler in an app of Hono: by itself, and as the example does it.
import { Hono } from "hono";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { createHandler } from "../../src/server/index.js";
import { start } from "../fixtures/child.js";
import { openEngine, tempDir } from "../support/engine.js";
import { asksWeather, chatOf, weather } from "../support/http/server.js";
import { ai7Folder, testWith } from "../support/integrations/node-22.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("an app that mounts the handler answers the client of OpenAI: whole, streamed, tools and errors", async () => {
  const engine = await openEngine([asksWeather]);
  const handler = createHandler(engine);
  const app = new Hono().all("/v1/*", ({ req }) => handler(req.raw));
  app.get("/own", ({ text }) => text("mine"));
  const client = new OpenAI({
    baseURL: "http://localhost/v1",
    apiKey: "none",
    maxRetries: 0,
    fetch: async (url, init) => app.request(String(url), init as RequestInit),
  });
  const asked = { ...chatOf(), tools: [weather] };
  const { choices } = await client.chat.completions.create(asked);
  expect(choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
  });
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true }))
    streamed += chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? "";
  expect(JSON.parse(streamed)).toEqual({ city: "Oslo" });
  await expect(client.chat.completions.create({ ...asked, model: "other" })).rejects.toMatchObject({ status: 404 });
  expect(await (await app.request("http://localhost/own")).text()).toBe("mine");
});

const versions = { "AI SDK 6": path.join(root, "node_modules", "ai-v6"), "AI SDK 7": ai7Folder };
for (const [name, ai] of Object.entries(versions)) {
  const title = `the example answers over HTTP with ${name}, refuses what its guard does, and ends on SIGTERM`;
  testWith(name === "AI SDK 7", title, async () => {
    const folder = await tempDir();
    const packages = path.join(folder, "node_modules");
    await mkdir(path.join(packages, "@hono"), { recursive: true });
    const links = {
      "llama-hooks": ".",
      hono: "node_modules/hono",
      "@hono/node-server": "node_modules/@hono/node-server",
    };
    for (const [link, target] of Object.entries({ ...links, ai }))
      await symlink(path.resolve(root, target), path.join(packages, link), "dir");
    const file = path.join(folder, "hono.mjs");
    await writeFile(file, await readFile(path.join(root, "examples", "hono.mjs"), "utf8"));
    const child = start(process.execPath, [file], { PORT: "0" });
    let url = "";
    child.process.stdout?.on("data", (text: string) => (url += text));
    await child.said("\n");
    const ask = async (where: string, body: object): Promise<[number, string]> => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url.trim()}${where}`, { method: "POST", headers, body: JSON.stringify(body) });
      return [response.status, await response.text()];
    };
    expect(await ask("/ask", { prompt: "What is 12 * 7?" })).toEqual([
      200,
      '{"text":"I have no tool for calculations."}',
    ]);
    expect(await ask("/ask", { prompt: "My password is hunter2." })).toEqual([
      403,
      '{"by":"no-passwords","reason":"passwords stay here"}',
    ]);
    const [status, text] = await ask("/v1/chat/completions", chatOf({}, "My password is hunter2."));
    expect([status, text]).toEqual([403, expect.stringContaining("passwords stay here")]);
    child.process.kill("SIGTERM");
    expect(await child.ended).toMatchObject({ code: 0, stderr: "" });
  });
}
