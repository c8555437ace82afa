// Keys of remote models stand nowhere that is shown, stored or sent elsewhere.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { type LlamaHooksError, recordRun, remote } from "../../src/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { openaiServer } from "../support/remote/openai-server.js";

const secrets = ["sk-very-secret", "header-secret", "query-secret"];

test("describe, list, traces, hooks, errors, recordings, saved sessions and inspect() hold no key", async () => {
  const server = await openaiServer(({ headers, url }) => ({
    act: (response) => {
      // A server that repeats what it was sent.
      response.writeHead(401).end(`no: ${String(headers.authorization)} ${String(headers["x-key"])} ${url}`);
    },
  }));
  const provider = remote(`${server.url}?key=query-secret`, {
    model: "m",
    apiKey: "sk-very-secret",
    headers: { "x-key": "header-secret" },
    retries: 0,
  });
  const engine = await openEngine([], { models: {} });
  const shown: unknown[] = [provider, JSON.stringify(provider)];
  const traced = (async () => {
    for await (const event of engine.trace()) shown.push(event);
  })();
  for (const point of ["modelLoad", "modelReady", "error", "preGenerate", "loopEnd"] as const)
    engine.hooks.on(point, (event: object) => void shown.push({ ...event }));
  shown.push(await engine.models.load("big", { provider }));
  shown.push(engine.models.describe("big"), engine.models.list());
  const session = engine.session();
  const folder = await tempDir();
  const recorded = path.join(folder, "recording.json");
  const recording = recordRun(session, { raw: true });
  const error = (await rejection(session.run("Hi"))) as LlamaHooksError;
  await recording.save(recorded);
  expect(error.code).toBe("REMOTE_REFUSED");
  shown.push(error, error.stack, error.details, error.cause);
  const saved = path.join(folder, "session.json");
  await session.save(saved);
  shown.push(await readFile(saved, "utf8"), await readFile(recorded, "utf8"));
  await engine.close();
  await traced;
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: "Bearer sk-very-secret",
    "x-key": "header-secret",
  });
  expect(server.requests[0]?.url).toContain("key=query-secret");
  for (const [index, one] of shown.entries()) {
    const text = inspect(one, { depth: 20, maxStringLength: null, showHidden: true });
    for (const secret of secrets) expect([index, text]).not.toEqual([index, expect.stringContaining(secret)]);
  }
  expect(error.message).toContain("[secret]");
});

test("a key in a header is found without its scheme, and at the end of long words", async () => {
  const key = "sk-very-secret";
  const server = await openaiServer(() => ({
    act: (response) => void response.writeHead(401).end(`${"x".repeat(1990)}${key} and ${key}`),
  }));
  const provider = remote(server.url, { model: "m", headers: { authorization: `Bearer ${key}\n`.trim() }, retries: 0 });
  const engine = await openEngine([], { models: { big: { provider } } });
  const error = (await rejection(engine.generate("Hi"))) as LlamaHooksError;
  expect(error.code).toBe("REMOTE_REFUSED");
  expect(error.message).not.toMatch(/sk-/);
});
