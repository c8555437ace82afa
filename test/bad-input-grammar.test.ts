// A file of its own: what goes wrong here would end the process.
import { expect, test } from "vitest";
import { openEngine, rejection } from "./support/engine.js";

test("a grammar that is nested too deeply is refused, and the next call works", async () => {
  const engine = await openEngine(["Hello."]);
  const grammar = `root ::= ${"(".repeat(50_000)}"x"${")".repeat(50_000)}`;
  expect(await rejection(engine.generate("Hi", { grammar }))).toMatchObject({ code: "INVALID_GRAMMAR" });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a grammar is not cut at a NUL character but refused", async () => {
  const engine = await openEngine(["Hello."]);
  const grammar = 'root ::= "Hello."\0 and what would be left out';
  expect(await rejection(engine.generate("Hi", { grammar }))).toMatchObject({ code: "INVALID_GRAMMAR" });
});

test("a schema that is nested too deeply is refused, and the next call works", async () => {
  const engine = await openEngine(["Hello."]);
  let jsonSchema: object = { type: "null" };
  for (let depth = 0; depth < 1000; depth++) jsonSchema = { type: "array", items: jsonSchema };
  expect(await rejection(engine.generate("Hi", { jsonSchema: { ...jsonSchema } }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("nested") as string,
  });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});
