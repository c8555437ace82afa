import { expect, test } from "vitest";
import type { Generation } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const count = { pieces: ["One", " two", " three", " four", "."] };

/** The streamed text and the result. */
async function run(generation: Generation) {
  let streamed = "";
  for await (const event of generation) if (event.type === "token") streamed += event.text;
  return { streamed, result: await generation };
}

test("a reply that the model ends has the finish reason stop", async () => {
  const engine = await openEngine([count]);
  const { text, finishReason } = await engine.generate("Count");
  expect([text, finishReason]).toEqual(["One two three four.", "stop"]);
});

test("tokens that were decoded ahead of a stop string do not count", async () => {
  const engine = await openEngine([{ pieces: ["One", " two", " three"], endless: true }]);
  for (let round = 0; round < 5; round++) {
    const { text, usage } = await engine.generate("Count", { stop: " two three" });
    expect([text, usage.completionTokens]).toEqual(["One", 3]);
  }
});

test("maxTokens ends the text after that many tokens", async () => {
  const engine = await openEngine([count]);
  const { text, finishReason, usage } = await engine.generate("Count", { maxTokens: 2 });
  expect([text, finishReason, usage.completionTokens]).toEqual(["One two", "length", 2]);
});

test("without maxTokens the context is the limit", async () => {
  const engine = await openEngine([{ text: " on and on", endless: true }], { contextSize: 128 });
  const { finishReason, usage } = await engine.generate("Go");
  expect(finishReason).toBe("length");
  expect(usage.promptTokens + usage.completionTokens).toBeGreaterThanOrEqual(128);
  expect(usage.promptTokens + usage.completionTokens).toBeLessThanOrEqual(129);
});

test("a text that maxTokens cuts within a character is still valid", async () => {
  const engine = await openEngine([{ pieces: ["a", new Uint8Array([0xf0, 0x9f]), new Uint8Array([0x91, 0x8b])] }]);
  const { streamed, result } = await run(engine.generate("Wave", { maxTokens: 2 }));
  expect(result.text).toBe("a\ufffd");
  expect(streamed).toBe(result.text);
});

test.each([
  ["a stop string ends the text before it", " three", "One two"],
  ["a stop string within one token ends it within that token", "hre", "One two t"],
  ["a stop string across two tokens is found", "o thr", "One tw"],
  ["a stop string across many tokens is found", "ne two three fou", "O"],
  ["a stop string at the very beginning leaves nothing", "One", ""],
  ["the earliest of several stop strings counts", ["four", "two", "three"], "One "],
  ["a stop string that begins but is not completed changes nothing", " three five", "One two three four."],
  ["a stop string begun at the very end changes nothing", ". And", "One two three four."],
  ["a stop string that does not occur changes nothing", "zebra", "One two three four."],
])("%s", async (_, stop, expected) => {
  const engine = await openEngine([count]);
  const { streamed, result } = await run(engine.generate("Count", { stop }));
  expect(result.text).toBe(expected);
  expect(streamed).toBe(expected);
  expect(result.finishReason).toBe("stop");
});

test("a stop string of characters that are split over tokens is found", async () => {
  const engine = await openEngine([{ text: "ja 日本 nein", split: "bytes" }]);
  const { streamed, result } = await run(engine.generate("Go", { stop: "本" }));
  expect([streamed, result.text]).toEqual(["ja 日", "ja 日"]);
});

test("a stop string ends an endless text", async () => {
  const engine = await openEngine([{ pieces: ["la ", "di ", "da "], endless: true }]);
  expect((await engine.generate("Sing", { stop: "da la" })).text).toBe("la di ");
});

test("after a stop string the next call is as if nothing had been decoded ahead", async () => {
  const engine = await openEngine([count]);
  await engine.generate("Count", { stop: " two" });
  expect((await engine.generate("Count")).text).toBe("One two three four.");
});

test("ignoreEos writes on until maxTokens", async () => {
  const engine = await openEngine([count]);
  for (const temperature of [0, 0.8]) {
    const { text, finishReason, usage } = await engine.generate("Count", {
      ignoreEos: true,
      maxTokens: 12,
      temperature,
    });
    expect([finishReason, usage.completionTokens]).toEqual(["length", 12]);
    expect(text).toBe("One two three four. ~ ~ ~ ~ ~ ~ ~");
  }
});

test("a model that says nothing gives an empty text", async () => {
  const engine = await openEngine([""]);
  const { streamed, result } = await run(engine.generate("Hi"));
  expect([streamed, result.text, result.finishReason, result.usage.completionTokens]).toEqual(["", "", "stop", 0]);
});
