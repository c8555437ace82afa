// A separate file: what goes wrong here would end the process.
import { expect, test } from "vitest";
import { openEngine, rejection } from "../support/engine.js";

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

test.each([
  ["a repetition whose end is before its beginning", 'root ::= "b"\nroot2 ::= "a"{3,2}', "line 2, column 14"],
  ["repetitions of repetitions", 'root ::= "abcdefgh"{2000}{2000}', "line 1"],
  ["a repetition out of range", 'root ::= "a"{99999999999999999999999}', "line 1"],
  ["a rule that is not closed", 'root ::= "a"\nx ::= ("b"\n', "line 3"],
  ["a rule that is not there", "root ::= other", "other"],
  ["a NUL that is escaped", 'root ::= "\\x00"', "NUL"],
  ["an empty grammar", "", "empty"],
])("%s is INVALID_GRAMMAR and says where", async (_, grammar, where) => {
  const engine = await openEngine(["Hello."]);
  expect(await rejection(engine.generate("Hi", { grammar }))).toMatchObject({
    code: "INVALID_GRAMMAR",
    message: expect.stringContaining(where) as string,
  });
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});
