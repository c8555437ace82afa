// Strings and numbers that a grammar for JSON admits are what readers of JSON read.
import { expect, test } from "vitest";
import { openEngine, rejection } from "../support/engine.js";

const said = (value: string) => ({ type: "object", properties: { value: { type: value } }, required: ["value"] });

test.each<readonly [string, string, string]>([
  ["half of a character", "string", '{"value": "a\\ud800b"}'],
  ["the second half", "string", '{"value": "\\uDC00"}'],
  ["a number without end", "number", '{"value": 1e999}'],
  ...[
    "2e308",
    "-2E+308",
    "1.8e308",
    "1.7976931348623159e308",
    "1.79769313486231571e308",
    "10.0e308",
    "9999999999999999e300",
    "1e309",
    "1e1000",
    "0.1e309",
  ].map((number) => [`number that no double holds, ${number}`, "number", `{"value": ${number}}`] as const),
])("a schema's grammar has no %s", async (_, type, reply) => {
  const engine = await openEngine([reply]);
  const error = await rejection(engine.generate("Hi", { temperature: 0, jsonSchema: said(type) }));
  expect(error).toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
});

test.each<readonly [string, string, unknown]>([
  ["string", '{"value": "\\u00e9\\uE000"}', "\u00e9\uE000"],
  ["number", '{"value": -1.5e99}', -1.5e99],
  ["number", '{"value": 1.7976931348623157e308}', Number.MAX_VALUE],
  ["number", '{"value": 5e-324}', 5e-324],
  ...["-1.7976931348623157e+308", "1.7e308", "1.79E308", "1e308", "9.999999999999999e307", "9007199254740993e292"].map(
    (number) => ["number", `{"value": ${number}}`, Number(number)] as const,
  ),
  ...["1234567890123456.1234567890123456e-300", "2.2250738585072014e-308", "-0", "0", "12.5", "1E5", "9e99"].map(
    (number) => ["number", `{"value": ${number}}`, Number(number)] as const,
  ),
])("it has the others: %s %s", async (type, reply, value) => {
  const engine = await openEngine([reply]);
  const { text } = await engine.generate("Hi", { temperature: 0, jsonSchema: said(type) });
  expect(JSON.parse(text)).toEqual({ value });
});

test("a limit of length counts characters, not their halves", async () => {
  const schema = { type: "string", minLength: 2 };
  const one = await openEngine(['"\\ud83d\\ude00"']);
  expect(await rejection(one.generate("Hi", { temperature: 0, jsonSchema: schema }))).toMatchObject({
    code: "UNSUPPORTED_BY_MODEL",
  });
  const two = await openEngine(['"\u{1F600}\u{1F600}"']);
  expect(JSON.parse((await two.generate("Hi", { temperature: 0, jsonSchema: schema })).text)).toBe(
    "\u{1F600}\u{1F600}",
  );
});
