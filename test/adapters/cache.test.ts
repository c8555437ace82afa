import { expect, test } from "vitest";
import type { AdapterChoice, Engine } from "../../src/index.js";
import { openAdapted } from "../support/adapters.js";

const prompt = "Tell me of the sea, of the wind and of the ships that came home.";
const none: readonly AdapterChoice[] = [];
const pirate = [{ id: "pirate" }];
const faint = [{ id: "pirate", scale: 0.2 }];
const both = [{ id: "pirate" }, { id: "poet", scale: 0.3 }];

/** The cached part of the prompt: "none", or "all" except the token whose logits are asked for. */
async function cached(engine: Engine, adapters: readonly AdapterChoice[]): Promise<string | number> {
  const { usage, text } = await engine.generate(prompt, { adapters });
  expect(text).toBe(adapters === none || adapters === faint ? "Plain." : "Ahoy!");
  return usage.cachedTokens === 0 ? "none" : usage.cachedTokens === usage.promptTokens - 1 ? "all" : usage.cachedTokens;
}

test.each([
  ["each conversation with a sequence", { parallel: 4 }],
  ["conversations that wait in host memory", { parallel: 1 }],
  ["all in one cache", { parallel: 4, kvCache: "unified" }],
] as const)("what adapters computed serves the same adapters at the same strength alone: %s", async (_, options) => {
  const { engine } = await openAdapted(["Plain."], { pirate: ["Ahoy!"], poet: ["Roses."] }, options);
  const sets = [none, pirate, faint, both];
  for (const set of sets) expect(await cached(engine, set)).toBe("none");
  for (const set of sets) expect(await cached(engine, set)).toBe("all");
  expect(await cached(engine, both.toReversed())).toBe("all");
  expect(await cached(engine, [{ id: "pirate", scale: 1.5 }])).toBe("none");
});

test("an adapter that is loaded anew, under the same name too, finds nothing of the one before", async () => {
  const { engine, file } = await openAdapted(["Plain."], { pirate: ["Ahoy!"] });
  expect([await cached(engine, pirate), await cached(engine, pirate)]).toEqual(["none", "all"]);
  await engine.adapters.unload("pirate");
  await engine.adapters.load("pirate", { path: file("pirate") });
  expect(await cached(engine, pirate)).toBe("none");
});

test("those that begin alike wait for one of their own adapters, and not for another's", async () => {
  const { engine } = await openAdapted(["Plain."], { pirate: ["Ahoy!"] }, { parallel: 4 });
  const talks = [none, none, pirate, pirate].map((adapters) => engine.generate(prompt, { adapters }));
  const results = await Promise.all(talks);
  expect(results.map(({ text }) => text)).toEqual(["Plain.", "Plain.", "Ahoy!", "Ahoy!"]);
  const { promptTokens } = results[0]?.usage ?? { promptTokens: 0 };
  const counts = results.map(({ usage }) => usage.cachedTokens);
  for (const own of [counts.slice(0, 2), counts.slice(2)]) {
    expect(own.toSorted((a, b) => a - b)).toEqual([0, promptTokens - 1]);
  }
});
