import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cancel, type Engine } from "../../src/index.js";
import { inspect, inspectFiles, inspectorHookName, type InspectOptions } from "../../src/inspector/index.js";
import { questions } from "../../src/ready-hooks/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { rawTo, statusOf } from "../support/http/raw-http.js";
import { type Item, openFiles, openInspector } from "../support/inspector.js";
import { asks, runOnce, weather } from "../support/sessions.js";

const always = { replies: ["Hello there."], afterLast: "repeat" } as const;
const isEnd = (item: Item): boolean => item.type === "ended";
const named = (items: readonly Item[]): string[] =>
  items.map(({ type, event, point }) => String(event ?? point ?? type));

test("nothing but the page itself is there without the token, or for another host", async () => {
  const { inspector, ask } = await openInspector(await openEngine());
  const { hostname, port, hash } = new URL(inspector.url);
  expect([hostname, Number(port)]).toEqual(["127.0.0.1", inspector.port]);
  const token = hash.slice(1);
  expect(token).toMatch(/^[\w-]{32}$/);
  const wrong = { authorization: `Bearer ${token.slice(0, -1)}x` };
  for (const known of ["/state", "/events", "/values/1", "/files/0", "/answers", "/nothing"])
    for (const headers of [{}, wrong, { authorization: token }, { cookie: `token=${token}` }])
      expect([known, (await ask(known, { headers })).status]).toEqual([known, 401]);
  expect((await ask(`/state?token=${token}`, { headers: {} })).status).toBe(401);
  expect([(await ask("/state")).status, (await ask("/nothing")).status]).toEqual([200, 404]);
  const foreign = rawTo(inspector, "GET / HTTP/1.1\r\nhost: inspector.example\r\nconnection: close\r\n\r\n");
  expect(statusOf(await foreign.ended)).toBe(403);
});

test("answers forbid other code, other pages and other origins", async () => {
  const { ask } = await openInspector(await openEngine());
  for (const known of ["/", "/main.js", "/page.css", "/chart.js", "/state", "/nothing"]) {
    const { headers } = await ask(known, { headers: { origin: "http://other.example" } });
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  const page = await (await ask("/", { headers: {} })).text();
  expect(page).not.toMatch(/<script>|<style|style="|onclick|https?:/);
});

test("a page that is opened late gets what has happened, then what happens, then the end", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  engine.hooks.on("preToolCall", () => cancel("not now"), { name: "guard" });
  const { items } = await openInspector(engine);
  await runOnce(engine, { tools: [weather] });
  const reading = items(isEnd);
  await engine.close();
  const all = await reading;
  expect(named(all)).toEqual(expect.arrayContaining(["runStarted", "modelCallStarted", "preToolCall", "runEnded"]));
  const veto = all.find(({ point, type }) => point === "preToolCall" && type === "decision");
  expect(veto).toMatchObject({ action: "cancelled", reason: "not now", hooks: [{ name: "guard" }] });
  expect(JSON.stringify(all)).not.toContain(inspectorHookName);
  expect(all.at(-1)).toMatchObject({ type: "ended", what: "engine" });
});

test("what is kept is bounded, and the stream says how much is lost", async () => {
  const engine = await openEngine(always);
  const { ask, items } = await openInspector(engine, { history: 100 });
  for (let round = 0; round < 40; round++) await engine.generate("Hi", { maxTokens: 1 });
  const { history } = (await (await ask("/state")).json()) as { history: { kept: number; lost: number } };
  expect(history.kept).toBeLessThanOrEqual(125);
  expect(history.lost).toBeGreaterThan(0);
  const reading = items(isEnd);
  await engine.close();
  const [first, ...rest] = await reading;
  expect(first?.type).toBe("lost");
  expect(Number(first?.["count"]) + rest.length).toBeGreaterThanOrEqual(history.kept + history.lost);
  expect(rest.length).toBeLessThanOrEqual(125);
});

test("a page that comes back gets what came after the number that it names", async () => {
  const engine = await openEngine(always);
  const { items } = await openInspector(engine, { values: "none" });
  await engine.generate("Hi", { maxTokens: 1 });
  await engine.close();
  const all = await items(isEnd);
  expect(all.length).toBeGreaterThan(2);
  expect(await items(isEnd, 2)).toEqual(all.slice(2));
  expect(await items(isEnd, 999_999)).toEqual(all); // of an engine before
});

/** The seq of the first dispatch at a point, and what is kept of it. */
async function valuesAt(engine: Engine, point: string, options: InspectOptions): Promise<unknown> {
  const { items, ask } = await openInspector(engine, options);
  await runOnce(engine, { tools: [weather] });
  const found = (await items((item) => item.event === "runEnded")).find((item) => item["point"] === point);
  return (await ask(`/values/${String(found?.["seq"] ?? 0)}`)).json();
}

test("values are what hooks have left; only raw has what was before them", async () => {
  const open = async (): Promise<Engine> => {
    const engine = await openEngine([asks("Oslo"), "Cold."]);
    engine.hooks.on("postToolCall", () => ({ result: "masked" }), { name: "mask" });
    return engine;
  };
  const left = await valuesAt(await open(), "postToolCall", {});
  expect(left).toMatchObject({ point: "postToolCall", left: { result: '"masked"' } });
  expect(left).not.toHaveProperty("before");
  const raw = (await valuesAt(await open(), "postToolCall", { values: "raw" })) as Record<string, { result: string }>;
  expect(raw["left"]?.result).toBe('"masked"');
  expect(raw["before"]?.result).not.toContain("masked");
  expect(await valuesAt(await open(), "postToolCall", { values: "none" })).toBeNull();
});

test("the observers of an inspector change nothing, and go with it", async () => {
  const engine = await openEngine(always);
  const { inspector, ask } = await openInspector(engine);
  engine.hooks.on("preGenerate", () => undefined, { name: "mine" });
  const { state } = (await (await ask("/state")).json()) as { state: { hooks: { name: string }[]; models: object[] } };
  expect(state.hooks.map(({ name }) => name)).toEqual(["mine"]);
  expect(state.models).toMatchObject([{ modelId: "default", state: "ready" }]);
  await inspector.close();
  expect(engine.hooks.list().map(({ name }) => name)).toEqual(["mine"]);
  expect((await engine.generate("Hi")).text).toBe("Hello there.");
});

test("the state says of every hook what it is called for and how often it was, also of one that has ended", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { inspector, ask } = await openInspector(engine);
  const session = engine.session({ tools: [weather], temperature: 0 });
  engine.hooks.on("preToolCall", () => undefined, { name: "all" });
  session.hooks.on("preToolCall", () => undefined, { name: "none", when: { toolName: /^shell$/i } });
  await session.run("Hello");
  const read = async (): Promise<{ hooks: object[]; ended: object[] }> =>
    ((await (await ask("/state")).json()) as { state: { hooks: object[]; ended: object[] } }).state;
  const none = {
    name: "none",
    sessionId: session.id,
    when: { toolName: "/^shell$/i" },
    fired: 1,
    matched: 0,
    calls: 0,
  };
  const all = { name: "all", sessionId: null, when: null, fired: 1, matched: 1, calls: 1 };
  expect(await read()).toMatchObject({ hooks: [all, { ...none, level: "session" }], ended: [] });
  await session.close();
  await expect.poll(async () => (await read()).ended).toMatchObject([none]);
  expect((await read()).hooks).toMatchObject([all]);
  await engine.close();
  await expect.poll(async () => (await read()).ended).toMatchObject([none, all]);
  expect((await read()).hooks).toEqual([]);
  await inspector.close();
});

test("a question is listed, and answered once", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const list = questions();
  engine.hooks.use(list.hooks);
  const { items, ask, post } = await openInspector(engine, { questions: list });
  const asked = items((item) => item.type === "questions");
  const running = runOnce(engine, { tools: [weather], permissions: [{ ask: "*" }] });
  await asked;
  const state = (await (await ask("/state")).json()) as { questions: { id: string; toolName: string }[] };
  expect(state.questions).toMatchObject([{ kind: "permission", toolName: "weather", args: { city: "Oslo" } }]);
  const id = state.questions[0]?.id;
  expect((await post("/answers", { id, answer: { allow: "yes" } })).status).toBe(400);
  expect((await post("/answers", { id: "another", answer: true })).status).toBe(404);
  expect((await post("/answers", { answer: true })).status).toBe(400);
  const { authorization } = { authorization: "Bearer of-nobody-in-particular" };
  const stranger = { method: "POST", headers: { authorization, "content-type": "application/json" }, body: "{}" };
  expect((await ask("/answers", stranger)).status).toBe(401);
  expect((await post("/answers", { id, answer: { allow: false, reason: "not today" } })).status).toBe(200);
  const { toolCalls } = await running;
  expect(toolCalls).toMatchObject([{ resultKind: "rejected_permission" }]);
  expect(toolCalls[0]?.result).toContain("not today");
  expect((await post("/answers", { id, answer: true })).status).toBe(404);
});

test("requests are bounded", async () => {
  const list = questions();
  const { inspector, ask, post } = await openInspector(await openEngine(), { questions: list });
  expect((await post("/answers", { id: "x".repeat(1_100_000) })).status).toBe(413);
  expect((await ask("/values/1e9")).status).toBe(400);
  expect((await ask("/values/99999999999999999999")).status).toBe(400);
  expect((await ask("/..%2f..%2fpackage.json")).status).toBe(404);
  const stop = new AbortController();
  const open = await Promise.all(
    Array.from({ length: 33 }, () => ask("/events", { headers: headersOf(inspector.url), signal: stop.signal })),
  );
  expect(open.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 32 }, () => 200), 429]);
  stop.abort();
});

function headersOf(url: string): Record<string, string> {
  return { authorization: `Bearer ${new URL(url).hash.slice(1)}` };
}

test("files are offered by their names, and a file that cannot be read is refused", async () => {
  const file = path.join(await tempDir(), "trace.json");
  await writeFile(file, '{"traceEvents":[]}');
  const { ask } = await openFiles([file]);
  expect(await (await ask("/state")).json()).toEqual({ title: "Saved files", files: ["trace.json"] });
  expect(await (await ask("/files/0")).text()).toBe('{"traceEvents":[]}');
  expect([(await ask("/files/1")).status, (await ask("/events")).status]).toEqual([404, 404]);
  await expect(inspectFiles([`${file}.gone`])).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(inspectFiles([path.dirname(file)])).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("wrong options are refused, and a port that is taken leaves nothing behind", async () => {
  const engine = await openEngine();
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{ port: -1 }, /port/],
    [{ port: 70_000 }, /port/],
    [{ token: "short" }, /token/],
    [{ token: "with spaces and more of them" }, /token/],
    [{ history: 1 }, /history/],
    [{ values: "all" }, /values/],
    [{ files: "a.json" }, /files/],
    [{ questions: {} }, /questions/],
    [{ colour: 1 }, /colour/],
  ];
  for (const [options, message] of wrong) await expect(inspect(engine, options as never)).rejects.toThrow(message);
  await expect(inspect({} as never)).rejects.toThrow(/engine/);
  await expect(inspectFiles("a.json" as never)).rejects.toThrow(TypeError);
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  await expect(inspect(engine, { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(engine.hooks.list()).toEqual([]);
});

test("an own token is taken, and no error shows it", async () => {
  const token = "a.token~of-my_own";
  const { inspector } = await openInspector(await openEngine(), { token });
  expect(new URL(inspector.url).hash).toBe(`#${token}`);
  await expect(inspect(await openEngine(), { token: "se cret" })).rejects.not.toThrow(/se cret/);
});
