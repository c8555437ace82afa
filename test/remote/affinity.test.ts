// A conversation comes back to the server that has its beginning: two servers with caches behind a proxy that hashes.
import { createHash } from "node:crypto";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { affinity, type Affinity, type Engine, remote, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { type OpenaiServer, openaiServer, type Reply, type Request } from "../support/remote/openai-server.js";

const words = (text: string): number => text.split(/\s+/).length;

/** A server that keeps the last prompts, and says how much of a new one it knew. */
async function cachingServer(known: number): Promise<OpenaiServer & { readonly hits: Map<string, number[]> }> {
  const prompts: string[][] = [];
  const hits = new Map<string, number[]>();
  const server = await openaiServer(({ body }: Request): Reply => {
    const messages = body.messages.map((message) => JSON.stringify(message));
    const common = (other: readonly string[]): number => {
      const end = messages.findIndex((message, index) => message !== other[index]);
      return end === -1 ? messages.length : end;
    };
    const most = Math.max(0, ...prompts.map(common));
    const tokens = (count: number): number =>
      messages.slice(0, count).reduce((sum, message) => sum + words(message) + message.length, 0);
    const name = String(/conversation (\d+)/.exec(messages.join(""))?.[1]);
    hits.set(name, [...(hits.get(name) ?? []), tokens(most) / tokens(messages.length)]);
    prompts.push(messages);
    if (prompts.length > known) prompts.shift();
    return "Yes.";
  });
  return Object.assign(server, { hits });
}

/** A router that sends a request to the server that the hash of a header names. */
async function hashingProxy(servers: readonly OpenaiServer[], header: string): Promise<string> {
  let turn = 0;
  const proxy = createServer((request, response) => {
    const key = request.headers[header.toLowerCase()];
    const hash = key === undefined ? turn++ : createHash("sha256").update(String(key)).digest().readUInt32BE();
    const { url = "" } = servers[hash % servers.length] ?? {};
    const target = new URL(request.url ?? "", url);
    const passed = send(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`;
}

/** The share of each prompt of conversation 0, from its second turn on, that its server knew. */
async function sharesKnown(affinity: Affinity): Promise<number[]> {
  const servers = [await cachingServer(60), await cachingServer(60)];
  const url = await hashingProxy(servers, "X-Session-ID");
  const provider = remote(url, { model: "m", affinity: affinity });
  const engine = await openEngine([], { models: { big: { provider, parallel: 64, contextSize: 1_000_000 } } });
  const long = "All that was said before. ".repeat(200);
  const talks = Array.from({ length: 51 }, (_, n) => engine.session({ system: `This is conversation ${n}. ${long}` }));
  for (let turn = 0; turn < 5; turn++)
    await Promise.all(talks.map((session, n) => session.run(`Turn ${turn} of conversation ${n}, please.`)));
  return servers.flatMap(({ hits }) => (hits.get("0") ?? []).slice(hits.get("0")?.length === 5 ? 1 : 0));
}

test("beside 50 others, each turn of a conversation finds its beginning", async () => {
  const shares = await sharesKnown(affinity.vllmRouter);
  expect(shares).toHaveLength(4); // all on one server, which knew nothing of the first turn
  for (const share of shares) expect(share).toBeGreaterThan(0.95);
});

async function open(affinity: Affinity, replies: readonly Reply[] = ["One.", "Two."]): Promise<[Engine, OpenaiServer]> {
  const server = await openaiServer(replies);
  const provider = remote(server.url, { model: "m", affinity: affinity });
  return [await openEngine([], { models: { big: { provider } } }), server];
}

test("the ready functions send what the routers' documents name, and nothing outside of conversations", async () => {
  const sent: Record<string, unknown> = {};
  const table: Readonly<Record<string, Affinity>> = {
    header: affinity.header("x-user"),
    vllmRouter: affinity.vllmRouter,
    sglang: affinity.sglang,
    sessionAffinity: affinity.sessionAffinity,
    promptCacheKey: affinity.promptCacheKey,
  };
  const watched = ["x-user", "x-session-id", "x-session-affinity"];
  for (const [name, affinity] of Object.entries(table)) {
    const [engine, server] = await open(affinity);
    const session = engine.session({ id: "talk" });
    await session.run("Hi");
    await session.run("Go on");
    await engine.generate("Hi");
    sent[name] = server.requests.map(({ headers, body }) => ({
      ...Object.fromEntries(watched.flatMap((key) => (headers[key] === undefined ? [] : [[key, headers[key]]]))),
      ...(body["rid"] !== undefined && { rid: body["rid"] }),
      ...(body["prompt_cache_key"] !== undefined && { prompt_cache_key: body["prompt_cache_key"] }),
    }));
  }
  const twice = (hint: object): object[] => [hint, hint, {}];
  expect(sent).toEqual({
    header: twice({ "x-user": "talk" }),
    vllmRouter: twice({ "x-session-id": "talk" }),
    sglang: [{ rid: "talk_t0_r0" }, { rid: "talk_t1_r0" }, {}],
    sessionAffinity: twice({ "x-session-affinity": "talk" }),
    promptCacheKey: twice({ prompt_cache_key: "talk" }),
  });
});

test("a delegated conversation has its own key; summaries and critics have none", async () => {
  const keys: (string | undefined)[] = [];
  const delegate: Reply = { calls: [{ name: "delegate", args: { tier: "coder", task: "Write it." } }] };
  const server = await openaiServer(({ body }) => {
    const system = JSON.stringify(body.messages[0]);
    const turns = body.messages.filter(({ role }) => role === "assistant").length;
    return system.includes("You are lead") && turns === 0 ? delegate : "Done.";
  });
  const provider = remote(server.url, {
    model: "m",
    affinity: ({ conversation, priority, modelId }) => {
      keys.push(conversation);
      return { body: { priority, cache_salt: modelId } };
    },
  });
  const engine = await openEngine([], { models: { big: { provider } } });
  const session = engine.session({
    id: "talk",
    tier: "lead",
    tiers: { lead: { system: "You are lead." }, coder: { system: "You are coder." } },
    controlTools: ["delegate"],
  });
  await session.run("Go", { priority: 3 });
  expect(keys).toEqual(["talk", expect.stringMatching(/^talk\/coder/) as string, "talk"]);
  expect(server.requests[0]?.body).toMatchObject({ priority: 3, cache_salt: "big" });
  keys.length = 0;
  await session.compact({ strategy: "summarize" });
  expect(keys).toEqual([undefined]);
});

test("an affinity that fails or answers nonsense is an error that names it", async () => {
  for (const affinity of [() => 5, () => ({ headers: { a: 1 } }), () => ({ body: "x" })]) {
    const [engine] = await open(affinity as unknown as Affinity);
    await expect(engine.generate("Hi")).rejects.toThrow(/affinity\(\)/);
  }
});

test("unreachable: the fallback answers, error tells of both, and hooks see who answers", async () => {
  const server = await openaiServer(["From the other."]);
  const gone = await openaiServer([]);
  gone.server.close();
  const far = remote(gone.url, { model: "m", retries: 0, fallback: "other" });
  const models = { big: { provider: far }, other: { provider: remote(server.url, { model: "n" }) } };
  const engine = await openEngine([], { models });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ meta }) => void seen.push(meta.modelId));
  engine.hooks.on("error", ({ code, message, recoverable }) => void seen.push([code, recoverable, message]));
  const result = await engine.session({ model: "big" }).run("Hi");
  expect(result).toMatchObject({ text: "From the other.", steps: [{ modelId: "other" }] });
  expect(seen).toEqual([
    "big",
    ["REMOTE_UNREACHABLE", true, expect.stringMatching(/"big" is unreachable: .*"other" answers in its place/)],
    "other",
  ]);
});

test("a fallback is for the unreachable only, and not in a circle", async () => {
  const refuses = await openaiServer([{ act: (response) => void response.writeHead(401).end() }]);
  const gone = await openaiServer([]);
  gone.server.close();
  const models = {
    refuses: { provider: remote(refuses.url, { model: "m", fallback: "other" }) },
    a: { provider: remote(gone.url, { model: "a", retries: 0, fallback: "b" }) },
    b: { provider: remote(gone.url, { model: "b", retries: 0, fallback: "a" }) },
    lost: { provider: remote(gone.url, { model: "b", retries: 0, fallback: "absent" }) },
  };
  const engine = await openEngine([], { models });
  await expect(engine.generate("Hi", { model: "refuses" })).rejects.toMatchObject({ code: "REMOTE_REFUSED" });
  await expect(engine.generate("Hi", { model: "a" })).rejects.toMatchObject({ code: "REMOTE_UNREACHABLE" });
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  await expect(engine.generate("Hi", { model: "lost" })).rejects.toMatchObject({ code: "REMOTE_UNREACHABLE" });
  expect(errors[0]).toMatch(/"absent" cannot answer in its place/);
});

test("a tool's result of a conversation stays where the conversation is", async () => {
  const look = tool({ name: "look", parameters: { type: "object" }, run: () => "seen" });
  const [engine, server] = await open(affinity.sglang, [{ calls: [{ name: "look", args: {} }] }, "Done."]);
  await engine.session({ id: "talk", tools: [look] }).run("Look");
  expect(server.requests.map(({ body }) => body["rid"])).toEqual(["talk_t0_r0", "talk_t1_r0"]);
});

test("a hook that chooses an unreachable model gets its fallback, once", async () => {
  const gone = await openaiServer([]);
  gone.server.close();
  const server = await openaiServer(["From the small one."]);
  const big = remote(gone.url, { model: "m", retries: 0, fallback: "small" });
  const models = { small: { provider: remote(server.url, { model: "n" }) }, big: { provider: big } };
  const engine = await openEngine([], { models });
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ meta }) => {
    seen.push(meta.modelId);
    return { model: "big" };
  });
  engine.hooks.on("error", ({ code }) => void seen.push(code));
  const result = await engine.session({ model: "small" }).run("Hi");
  expect(result).toMatchObject({ text: "From the small one.", steps: [{ modelId: "small" }] });
  expect(seen).toEqual(["small", "REMOTE_UNREACHABLE", "small"]);
});
