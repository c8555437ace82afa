// Messages of models that compute in a process of their own name options as TypeScript does.
import { expect, test } from "vitest";
import { openEngine, rejection } from "../support/engine.js";
import { openIsolated } from "../support/isolated.js";
import { weather } from "../support/sessions.js";

const opened = { "with isolation": openIsolated, "in the program": openEngine };

test.each(Object.entries(opened))("%s", async (_, open) => {
  const engine = await open(["Hello."]);
  const refused = async (options: object): Promise<string> =>
    ((await rejection(engine.generate("Hi", options))) as Error).message;
  const ignored = { type: "number", minimum: 0 };
  expect(await refused({ jsonSchema: ignored, strictSchema: true })).toMatch(
    /^params\.jsonSchema .*\(params\.strictSchema\)$/,
  );
  expect(await refused({ logitBias: [{ token: 99_999, bias: 1 }] })).toMatch(/^params\.logitBias has token 99999/);
  const grammar = 'root ::= "a"';
  expect(await refused({ grammar, tools: [weather] })).toMatch(/set toolChoice "none"$/);
  engine.hooks.on("preGenerate", () => ({ params: { topP: 7 } }) as never, { name: "odd" });
  const { decisions } = await engine.generate("Hi");
  expect(decisions[0]?.hooks[0]?.error?.message).toBe(
    'hook "odd" at preGenerate: field "params.topP": expected at most 1, got 7',
  );
});
