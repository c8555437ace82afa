// Models on the devices of RPC servers, and what happens when a server fails.
import { expect, test } from "vitest";
import { bundledModel, createEngine, LlamaHooksError, startRpcServer } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { gate } from "../support/gate.js";
import { isThere, openIsolated, processOf } from "../support/isolated.js";
import { freePort, openRpcServer, openSilentServer } from "../support/rpc.js";

const weather = {
  name: "weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: ({ city }: { city: string }) => `Rain in ${city}`,
} as const;

test("a model on two servers answers word for word as one in this process, and every hook fires", async () => {
  const servers = [await openRpcServer(), await openRpcServer()];
  const rpc = servers.map(({ address }) => address);
  const here = await openEngine([], { model: bundledModel });
  const there = await openIsolated([], { model: bundledModel, rpc });
  const devices = there.systemInfo().devices.filter(({ type }) => type === "gpu");
  expect(devices.map(({ name, description }) => [name, description])).toEqual([
    ["RPC0", rpc[0]],
    ["RPC1", rpc[1]],
  ]);
  const { memory, gpuLayers, layers } = there.models.describe("default");
  expect(gpuLayers).toBe(layers + 1);
  for (const name of ["RPC0", "RPC1"]) {
    expect(memory.find(({ device }) => device === name)?.modelBytes).toBeGreaterThan(1_000_000);
  }
  const fired: string[][] = [];
  for (const engine of [here, there]) {
    const points: string[] = [];
    fired.push(points);
    for (const point of ["preGenerate", "postGenerate", "preToolCall", "postToolCall", "loopEnd"] as const) {
      engine.hooks.on(point, () => void points.push(point));
    }
  }
  const ask = (engine: typeof here) =>
    engine.session({ tools: [weather], temperature: 0, maxTokens: 60 }).run("What is the weather in Oslo?");
  const [one, other] = [await ask(here), await ask(there)];
  expect(other.text).toBe(one.text);
  expect(other.toolCalls).toHaveLength(one.toolCalls.length);
  expect(fired[1]).toEqual(fired[0]);
  expect(fired[1]).toContain("postToolCall");
});

test("a server that dies ends a run with ENGINE_CRASHED; its session continues when the server is back", async () => {
  const server = await openRpcServer();
  const engine = await openIsolated(["Short.", "word ".repeat(200), "Back."], { rpc: [server.address] });
  const before = processOf(engine);
  const session = engine.session({ temperature: 0 });
  await session.run("First");
  const written = gate();
  const ends: string[] = [];
  const hooks = [
    engine.hooks.on("streamToken", () => written.open()),
    engine.hooks.on("loopStart", () => void ends.push("start")),
    engine.hooks.on("loopEnd", () => void ends.push("end")),
  ];
  const failure = rejection(session.run("Second"));
  await written.passed;
  await server.close();
  expect(await failure).toMatchObject({
    code: "ENGINE_CRASHED",
    message: expect.stringMatching(/its last lines: .*ggml-rpc.*Remote RPC server crashed/) as string,
  });
  for (const hook of hooks) hook.dispose();
  expect(ends).toEqual(["start", "end"]);
  expect(isThere(before)).toBe(false);
  expect(session.history().at(-1)).toMatchObject({ role: "assistant", content: "Short." });

  expect(await rejection(session.run("Third"))).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringContaining(`Failed to connect to ${server.address}`) as string,
  });
  await openRpcServer(Number(server.address.split(":")[1]));
  expect((await session.run("Fourth")).text).toMatch(/\w/);
  expect(processOf(engine)).not.toBe(before);
});

test("a server that is not there, and one that a name does not lead to, are BACKEND_UNAVAILABLE", async () => {
  const unreachable = `127.0.0.1:${await freePort()}`;
  for (const rpc of [unreachable, "no-such-host.invalid:50052"]) {
    expect(await rejection(createEngine({ models: {}, isolation: "process", rpc: [rpc] }))).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringContaining(`Failed to connect to ${rpc}`) as string,
    });
  }
});

test("a server that accepts a connection and answers nothing holds up no call: the signal ends the wait", async () => {
  const abort = new AbortController();
  const creation = rejection(
    createEngine({ models: {}, isolation: "process", rpc: [await openSilentServer()], signal: abort.signal }),
  );
  await new Promise((resolve) => setTimeout(resolve, 300)); // the event loop is free meanwhile
  abort.abort(new Error("enough"));
  expect(await creation).toMatchObject({ code: "CANCELLED", cause: new Error("enough") });
});

test("rpc without a process of the engine's own is refused", async () => {
  const error = await rejection(createEngine({ models: {}, rpc: ["127.0.0.1:50052"] }));
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", param: "rpc" });
  expect((error as Error).message).toMatch(/rpc needs isolation "process"/);
});

test.each([
  ["x", /rpc\[0\] must be "host:port".*got "x"/],
  ["localhost:0", /rpc\[0\] must be/],
  ["localhost:65536", /rpc\[0\] must be/],
  ["localhost:80x", /rpc\[0\] must be/],
  [":80", /rpc\[0\] must be/],
  ["-x:80", /rpc\[0\] must be/],
  ["[::1]:80", /rpc\[0\] must be/],
  ["user@host:80", /rpc\[0\] must be/],
  ["http://host:80", /rpc\[0\] must be/],
  [`${"a".repeat(254)}:80`, /rpc\[0\] must be/],
  ["host\n:80", /rpc\[0\] must be/],
])("the address %j is refused", async (address, message) => {
  const error = await rejection(createEngine({ models: {}, isolation: "process", rpc: [address] }));
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", param: "rpc" });
  expect((error as Error).message).toMatch(message);
});

test("an address twice, and 17 of them, are refused", async () => {
  const refusal = (rpc: readonly string[]) => rejection(createEngine({ models: {}, isolation: "process", rpc }));
  expect(await refusal(["a:1", "b:1", "A:1"])).toMatchObject({
    message: expect.stringMatching(/rpc\[2\] names A:1 twice/),
  });
  const many = Array.from({ length: 17 }, (_, i) => `a:${i + 1}`);
  expect(await refusal(many)).toMatchObject({ message: expect.stringMatching(/at most, got 17/) });
});

test("a cancel ends the wait for a silent server when the process starts again", async () => {
  const server = await openRpcServer();
  const engine = await openIsolated(["Short."], { rpc: [server.address] });
  process.kill(server.pid, "SIGSTOP");
  process.kill(processOf(engine) as number, "SIGKILL");
  const abort = new AbortController();
  const failure = rejection(engine.embed("text", { signal: abort.signal }));
  const other = rejection(engine.embed("text", { signal: abort.signal }));
  setTimeout(() => abort.abort(), 300);
  // Neither waits until the server is given up, which would be BACKEND_UNAVAILABLE.
  expect(await failure).toMatchObject({ code: expect.stringMatching(/^(CANCELLED|ENGINE_CRASHED)$/) as string });
  expect(await other).toMatchObject({ code: expect.stringMatching(/^(CANCELLED|ENGINE_CRASHED)$/) as string });
  process.kill(server.pid, "SIGCONT");
  expect((await engine.generate("Hi")).text).toBe("Short.");
});

test("an RPC server says what it lends, and refuses a port in use, and bad options", async () => {
  const server = await openRpcServer();
  expect(server.devices).toEqual([{ name: "CPU", description: expect.any(String) as string, type: "cpu" }]);
  const port = Number(server.address.split(":")[1]);
  const error = await rejection(startRpcServer({ port, gpu: false }));
  expect(error).toBeInstanceOf(LlamaHooksError);
  expect(error).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringContaining("EADDRINUSE") as string,
  });
  for (const port of [0, 65_536, 1.5, "1"]) {
    expect(await rejection(startRpcServer({ port: port as number }))).toBeInstanceOf(TypeError);
  }
});
