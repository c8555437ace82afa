// Keys of remote models stand nowhere that is shown, stored or sent elsewhere.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createOpenAICompatible as version3 } from "@ai-sdk/openai-compatible";
import { type LlamaHooksError, recordRun, remote, type RemoteModel } from "../../src/index.js";
import { Secrets } from "../../src/remote/secrets.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { testWith, version4 } from "../support/integrations/node-22.js";
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

const key = "sk-Very/secret+key=1";
const forms: Readonly<Record<string, string>> = {
  "as it is": key,
  "in a URL": encodeURIComponent(key),
  "in a URL, in small letters": encodeURIComponent(key).toLowerCase().replace("sk-very", "sk-Very"),
  "in a form": new URLSearchParams({ key }).toString(),
  "in base64": Buffer.from(key).toString("base64"),
  "in base64 of URLs": Buffer.from(key).toString("base64url"),
  "in base64, within a longer text": Buffer.from(`user:${key}!`).toString("base64"),
  "in base64, one further": Buffer.from(`users:${key}`).toString("base64"),
  "in JSON": JSON.stringify({ key }),
};

/** Parts of the forms that no answer contains by chance. */
const traces = [...Object.values(forms).map((form) => form.slice(-14, -3)), "Very/secret", "Very%2Fsecret"];

test.each(Object.entries(forms))("a key that an error repeats %s is masked", async (_, form) => {
  const server = await openaiServer(() => ({ act: (response) => void response.writeHead(401).end(`no: ${form} end`) }));
  const provider = remote(server.url, { model: "m", apiKey: key, retries: 0 });
  const engine = await openEngine([], { models: { big: { provider } } });
  const { message } = (await rejection(engine.generate("Hi"))) as LlamaHooksError;
  expect(message).toContain("[secret]");
  expect(message).toContain(" end");
  for (const trace of traces) expect(message).not.toContain(trace);
});

const senders: Readonly<Record<string, (url: string) => RemoteModel>> = {
  "a header with a password": (url) =>
    remote(url, {
      model: "m",
      headers: { authorization: `Basic ${Buffer.from("ada:correct-horse").toString("base64")}` },
      retries: 0,
    }),
  "the headers of an affinity": (url) =>
    remote(url, { model: "m", affinity: () => ({ headers: { "x-tenant-key": "correct-horse" } }), retries: 0 }),
  "a provider package of version 3": (url) =>
    remote(version3({ name: "far", baseURL: url, apiKey: "correct-horse" })("m"), { retries: 0 }),
  "a provider package of version 4": (url) =>
    remote(version4({ name: "far", baseURL: url, apiKey: "correct-horse" })("m"), { retries: 0 }),
  "secrets that the caller names": (url) => remote(url, { model: "m", secrets: ["correct-horse"], retries: 0 }),
  "the query of the address": (url) => remote(`${url}?key=correct-horse`, { model: "m", retries: 0 }),
};
for (const [what, provider] of Object.entries(senders)) {
  testWith(
    what.endsWith("version 4"),
    `${what}: masked in errors, in the text of the model and in its calls`,
    async () => {
      const shown: unknown[] = [];
      const said = { text: "It is correct-horse, I think.", reasoning: "Hm: correct-horse" };
      const call = { id: "c1", name: "weather", args: '{"city":"a correct\\u002dhorse","b":"correct-horse"}' };
      const server = await openaiServer(({ body }) => {
        const { length } = body.messages;
        if (length === 1) return { ...said, calls: [call] };
        if (length === 3) return "And the correct-hors is gone";
        return { act: (response) => void response.writeHead(403).end("not for correct-horse") };
      });
      const engine = await openEngine([], { models: { big: { provider: provider(server.url) } } });
      for (const point of ["error", "streamToken", "postGenerate", "preToolCall", "postToolCall"] as const)
        engine.hooks.on(point, (event: object) => void shown.push({ ...event }));
      const weather = { name: "weather", run: (args: object) => JSON.stringify(args) };
      const session = engine.session({ tools: [weather] });
      const run = session.run("Hi");
      for await (const event of run) shown.push(event);
      const result = await run;
      expect(result.text).toBe("And the correct-hors is gone"); // text that only resembled the key is whole
      expect(result.toolCalls).toMatchObject([{ args: { city: "a [secret]", b: "[secret]" } }]);
      expect(result.messages).toMatchObject([
        {},
        { content: "It is [secret], I think.", reasoning: "Hm: [secret]" },
        {},
        {},
      ]);
      const error = (await rejection(session.run("More"))) as LlamaHooksError;
      expect(error.message).toContain("not for [secret]");
      const file = path.join(await tempDir(), "session.json");
      await session.save(file);
      shown.push(result, error, error.message, await readFile(file, "utf8"));
      for (const one of shown)
        expect(inspect(one, { depth: 20, maxStringLength: null, showHidden: true })).not.toContain("correct-horse");
    },
  );
}

const words: Readonly<Record<string, (url: string) => RemoteModel>> = {
  "the query of the address": (url) =>
    remote(`${url}?api-version=2024-10-21&author=Ada Lovelace`, { model: "m", retries: 0 }),
  headers: (url) =>
    remote(url, {
      model: "m",
      headers: { "anthropic-version": "2024-10-21", "X-Title": "Ada Lovelace", "User-Agent": "assistant of Lovelace" },
      retries: 0,
    }),
  "headers of an affinity": (url) =>
    remote(url, {
      model: "m",
      affinity: () => ({ headers: { "x-date": "2024-10-21", "x-tenant": "Ada Lovelace" } }),
      retries: 0,
    }),
};
for (const [what, provider] of Object.entries(words)) {
  test(`${what}: values that are no keys are words in answers, and masked in errors`, async () => {
    const text = "The assistant of Ada Lovelace came on 2024-10-21.";
    const call = { id: "call-2024-10-21", name: "diary", args: JSON.stringify({ day: "2024-10-21" }) };
    const server = await openaiServer(({ body }) => {
      const { length } = body.messages;
      if (length === 1) return { text, calls: [call] };
      return { act: (response) => void response.writeHead(403).end(`not for 2024-10-21 and Ada Lovelace`) };
    });
    const engine = await openEngine([], { models: { big: { provider: provider(server.url) } } });
    const { text: said, toolCalls } = await engine.generate("Hi", { tools: [{ name: "diary" }] });
    expect([said, toolCalls]).toEqual([text, [{ id: call.id, name: "diary", args: { day: "2024-10-21" } }]]);
    const more = engine.generate([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hi" },
      { role: "user", content: "More" },
    ]);
    expect(((await rejection(more)) as LlamaHooksError).message).toContain("not for [secret] and [secret]");
  });
}

test("keys in members of several words are masked in answers word by word, and the words around them are not", async () => {
  const headers = {
    authorization: "Custom-Scheme correct-horse",
    cookie: 'theme=dark; session="battery-staple"',
    "x-auth-token": "paper-clip-17",
    "x-pwd": "hairpin-42",
    "x-upstream": "Bearer garden-gate",
    "x-door": `Basic ${Buffer.from("ada:open-sesame").toString("base64")}`,
    "x-plan": "basic membership",
  };
  const text =
    "Custom-Scheme, theme=dark: correct-horse battery-staple paper-clip-17 hairpin-42 garden-gate open-sesame, basic membership.";
  const server = await openaiServer([text]);
  const provider = remote(server.url, { model: "m", headers, retries: 0 });
  const engine = await openEngine([], { models: { big: { provider } } });
  expect((await engine.generate("Hi")).text).toBe(
    "Custom-Scheme, theme=dark: [secret] [secret] [secret] [secret] [secret] [secret], basic membership.",
  );
});

test("a key that is a word leaves the names of tools and the ids of calls alone", async () => {
  const server = await openaiServer([{ calls: [{ id: "ollama-1", name: "ollama_search", args: "{}" }] }]);
  const provider = remote(server.url, { model: "m", apiKey: "ollama", headers: { "x-key": "search" }, retries: 0 });
  const engine = await openEngine([], { models: { big: { provider } } });
  const { toolCalls } = await engine.generate("Hi", { tools: [{ name: "ollama_search" }] });
  expect(toolCalls).toEqual([{ id: "ollama-1", name: "ollama_search", args: {} }]);
});

const finish = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
};
const refused = (content: string) => ({
  type: "error",
  error: { value: { choices: [{ delta: { content } }], usage: { odd: true } } },
});
const delta = (type: string, text: string) => ({ type, id: "0", delta: text });
test.each([
  ["a chunk whose usage is refused", [delta("text-delta", "a correct-"), refused("horse b"), finish]],
  [
    "an empty piece of reasoning",
    ["a corr", "ect-horse b"]
      .flatMap((text) => [delta("reasoning-delta", ""), delta("text-delta", text)])
      .concat(finish as never),
  ],
  [
    "an empty piece of text in reasoning",
    [delta("reasoning-delta", "a correct-"), delta("text-delta", ""), delta("reasoning-delta", "horse b"), finish],
  ],
])("a key is masked across %s", async (_, parts) => {
  const model = {
    specificationVersion: "v3",
    provider: "p",
    modelId: "m",
    doStream: () => Promise.resolve({ stream: ReadableStream.from(parts) }),
  };
  const provider = remote(model, { secrets: ["correct-horse"], retries: 0 });
  const engine = await openEngine([], { models: { big: { provider } } });
  const { text, reasoning } = await engine.generate("Hi");
  expect(reasoning + text).toBe("a [secret] b");
});

test("short keys are masked in errors as words, and left alone in answers", async () => {
  const server = await openaiServer(({ body }) =>
    body.messages.length === 1 && body["seed"] === undefined
      ? "none of the nonesuch: EMPTY"
      : { act: (response) => void response.writeHead(401).end("the key x-9 is none, nonesuch x-99") },
  );
  const provider = remote(server.url, { model: "m", apiKey: "none", headers: { "x-key": "x-9" }, retries: 0 });
  const engine = await openEngine([], { models: { big: { provider } } });
  expect((await engine.generate("Hi")).text).toBe("none of the nonesuch: EMPTY");
  const { message } = (await rejection(engine.generate("Hi", { seed: 1 }))) as LlamaHooksError;
  expect(message).toContain("the key [secret] is [secret], nonesuch x-99");
});

test("text that comes in pieces of any size is masked, and is whole otherwise", () => {
  const secrets = new Secrets({ keys: ["abcabcabd"], others: [] });
  for (const text of ["abcabcabcabd.", "abcabcab", "xabcabcabdabcabcabd", "abcabcabcabcabd abc"]) {
    for (let size = 1; size <= text.length; size++) {
      const stream = secrets.stream();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
      expect([text, size, out + stream.end()]).toEqual([text, size, text.replaceAll("abcabcabd", "[secret]")]);
    }
  }
});
