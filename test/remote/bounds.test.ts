// The body of a server's error is read up to a maximum, and one signal may serve any number of calls.
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { remote } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { openaiServer, type Reply } from "../support/remote/openai-server.js";

const bomb = gzipSync(Buffer.alloc(2 ** 28, "x"));

const errors: Readonly<Record<string, Reply>> = {
  "an endless body of a 500": {
    act: async (response) => {
      response.writeHead(500, { "content-type": "text/plain" });
      const piece = "x".repeat(65_536);
      while (!response.destroyed)
        if (!response.write(piece))
          await new Promise<void>((resolve) => void response.once("drain", resolve).once("close", resolve));
    },
  },
  "an endless body of a 400": {
    act: async (response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.write('{"error":{"message":"');
      while (!response.destroyed)
        if (!response.write("y".repeat(65_536)))
          await new Promise<void>((resolve) => void response.once("drain", resolve).once("close", resolve));
    },
  },
  "256 MiB in 260 KB": {
    act: (response) => void response.writeHead(503, { "content-encoding": "gzip" }).end(bomb),
  },
};

for (const [what, reply] of Object.entries(errors)) {
  test(`${what} is an error that shows its beginning`, async () => {
    const server = await openaiServer(() => reply);
    const engine = await openEngine([], {
      models: { big: { provider: remote(server.url, { model: "m", retries: 0 }) } },
    });
    const before = process.memoryUsage().rss;
    const error = await rejection(engine.generate("Hi"));
    expect(String(error)).toMatch(/status (500|400|503)\)/);
    expect(String(error).length).toBeLessThan(2500);
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 27);
  });
}

test("one signal for many calls warns of no leak, ends them all, and is let go", async () => {
  const heard: string[] = [];
  const hear = ({ name }: Error): void => void heard.push(name);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const server = await openaiServer(() => "Hello there.");
  const provider = remote(server.url, { model: "m" });
  const engine = await openEngine(["Hello."], { models: { big: { provider } } });
  const stop = new AbortController();
  const ask = (): Promise<unknown>[] =>
    Array.from({ length: 20 }, () =>
      engine.generate("Hi", { model: "big", signal: stop.signal }).then(({ text }) => text),
    );
  expect(new Set(await Promise.all(ask()))).toEqual(new Set(["Hello there."]));
  const { length } = server.requests;
  const silent = await openaiServer(() => ({ act: () => undefined }));
  await engine.models.load("silent", { provider: remote(silent.url, { model: "m" }) });
  const waiting = Array.from({ length: 20 }, () => engine.generate("Hi", { model: "silent", signal: stop.signal }));
  stop.abort(new Error("enough"));
  const ends = await Promise.all(waiting);
  expect(ends.map(({ finishReason }) => finishReason)).toEqual(ends.map(() => "cancelled"));
  await new Promise((resolve) => setImmediate(resolve));
  expect([heard, length]).toEqual([[], 20]);
});
