// Bans that leave no token end the generation, and say so.
import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { openEngine, rejection, unwilling } from "../support/engine.js";

/** Every token of the script model's vocabulary. */
async function everyToken(engine: Engine): Promise<number[]> {
  const beyond = await rejection(engine.generate("Hi", { logitBias: [{ token: 1_000_000, bias: 1 }] }));
  const last = Number(/0 to (\d+)/u.exec(String(beyond))?.[1]);
  return Array.from({ length: last + 1 }, (_, token) => token);
}
const banned = (tokens: readonly number[]) => tokens.map((token) => ({ token, bias: null }));

test.each([0, 1])("bans of every token, temperature %d", async (temperature) => {
  const engine = await openEngine(["Hello."]);
  const logitBias = banned(await everyToken(engine));
  const error = await rejection(engine.generate("Hi", { temperature, maxTokens: 5, logitBias }));
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("logitBias") as string });
});

test.each([0, 1])("bans of all that a grammar admits, temperature %d", async (temperature) => {
  const engine = await openEngine(unwilling("b"));
  const left = await engine.models.tokenize(undefined, "b");
  const logitBias = banned((await everyToken(engine)).filter((token) => !left.includes(token)));
  const error = await rejection(engine.generate("Hi", { temperature, grammar: 'root ::= "a"', logitBias }));
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("grammar") as string });
});
