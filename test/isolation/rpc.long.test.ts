// RPC servers that neither answer nor end.
import { expect, test } from "vitest";
import { bundledModel, createEngine } from "../../src/index.js";
import { rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { openIsolated } from "../support/isolated.js";
import { openRpcServer, openSilentServer, openStallingProxy } from "../support/rpc.js";

const stepTimeoutMs = 5000;
const crashed = (pattern: RegExp): object => ({
  code: "ENGINE_CRASHED",
  message: expect.stringMatching(pattern) as string,
});

test("a server that answers nothing is BACKEND_UNAVAILABLE after 20 seconds, and the event loop is free meanwhile", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 100);
  const rpc = [await openSilentServer()];
  const error = await rejection(createEngine({ models: {}, isolation: "process", rpc }));
  clearInterval(timer);
  expect(error).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(/asked for their devices had not answered after 20000 ms/) as string,
  });
  expect(turns).toBeGreaterThan(50);
}, 60_000);

test("a server that stops in a generation is ended by the watchdog; figures come meanwhile, and it may go on", async () => {
  const server = await openRpcServer();
  const engine = await openIsolated(["word ".repeat(400)], { rpc: [server.address], stepTimeoutMs });
  const known = engine.systemInfo().devices.map(({ name }) => name);
  const written = gate();
  engine.hooks.on("streamToken", () => written.open());
  const failure = rejection(engine.generate("Hi"));
  await written.passed;
  process.kill(server.pid, "SIGSTOP");
  expect(engine.systemInfo().devices.map(({ name }) => name)).toEqual(known); // as they were last
  expect(await failure).toMatchObject(crashed(/(a step of a model|the request "info") had not ended after 5 s/));
  process.kill(server.pid, "SIGCONT");
  expect((await engine.generate("Hi", { maxTokens: 2 })).text).toMatch(/^word/);
}, 60_000);

test("a load that a stopped server holds up ends after its cancel, and the next one succeeds", async () => {
  const server = await openRpcServer();
  const engine = await openIsolated([], { models: {}, rpc: [server.address], stepTimeoutMs });
  process.kill(server.pid, "SIGSTOP");
  const abort = new AbortController();
  const load = rejection(engine.models.load("a", { path: bundledModel }, { signal: abort.signal }));
  setTimeout(() => abort.abort(), 1000);
  expect(await load).toMatchObject({ code: expect.stringMatching(/^(ENGINE_CRASHED|CANCELLED)$/) as string });
  process.kill(server.pid, "SIGCONT");
  await engine.models.load("a", { path: bundledModel });
  expect((await engine.generate("Hi", { maxTokens: 2 })).usage.completionTokens).toBeGreaterThan(0);
}, 120_000);

test("a load whose data stop in the middle of a tensor ends after its cancel, and a later one succeeds", async () => {
  const server = await openRpcServer();
  const proxy = await openStallingProxy(server.address, 1_500_000);
  const engine = await openIsolated([], { models: {}, rpc: [proxy.address], stepTimeoutMs });
  const abort = new AbortController();
  const load = rejection(engine.models.load("a", { path: bundledModel }, { signal: abort.signal }));
  await proxy.stalled;
  abort.abort();
  expect(await load).toMatchObject({ code: expect.stringMatching(/^(ENGINE_CRASHED|CANCELLED)$/) as string });
  const again = () => engine.models.load("a", { path: bundledModel, gpuLayers: 0 });
  // Where llama.cpp could end the load, the process continues until it asks the silent server something else.
  await again().catch((error: unknown) => {
    expect(error).toMatchObject({ code: "ENGINE_CRASHED" });
    return again();
  });
  expect((await engine.generate("Hi", { maxTokens: 2 })).usage.completionTokens).toBeGreaterThan(0);
}, 120_000);

test("a server without models is taken, too: a second engine is refused", async () => {
  const server = await openRpcServer();
  const first = await openIsolated([], { models: {}, rpc: [server.address] });
  const second = createEngine({ models: {}, isolation: "process", rpc: [server.address] });
  expect(await rejection(second)).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(/asked for their devices had not answered/) as string,
  });
  await first.models.load("a", { path: bundledModel });
  expect((await first.generate("Hi", { maxTokens: 2 })).usage.completionTokens).toBeGreaterThan(0);
  await first.close();
  const third = await openIsolated([], { models: {}, rpc: [server.address] });
  expect(third.systemInfo().devices.map(({ name }) => name)).toContain("RPC0");
}, 60_000);

test("while a question is unanswered, no other waits", async () => {
  const server = await openRpcServer();
  const engine = await openIsolated([], { models: {}, rpc: [server.address], stepTimeoutMs: 30_000 });
  const known = engine.systemInfo().devices.map(({ name }) => name);
  process.kill(server.pid, "SIGSTOP");
  const began = performance.now();
  for (let i = 0; i < 10; i++) expect(engine.systemInfo().devices.map(({ name }) => name)).toEqual(known);
  expect(performance.now() - began).toBeLessThan(15_000); // two seconds for one of them; 20 for all
  process.kill(server.pid, "SIGCONT");
}, 60_000);

test("an engine closes while a server is stopped", async () => {
  const server = await openRpcServer();
  const engine = await openIsolated(["word ".repeat(400)], { rpc: [server.address], closeTimeoutMs: 1000 });
  const written = gate();
  engine.hooks.on("streamToken", () => written.open());
  const generation = engine.generate("Hi");
  await written.passed;
  process.kill(server.pid, "SIGSTOP");
  await engine.close();
  expect((await generation).finishReason).toBe("cancelled");
}, 60_000);
