// Hostile grammars and schemas by chance: parts that may be empty, repetitions of repetitions, alternatives that begin
// alike, rules that double, references in circles. The same seed gives the same ones.
import type { GenerateOptions, JsonSchema } from "../../src/index.js";

/** Numbers from 0 up to 1, without 1. */
export type Chance = () => number;

export function chance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (of: Chance, most: number): number => Math.floor(of() * most);
const pick = <T>(of: Chance, list: readonly T[]): T => list[below(of, list.length)] as T;
const several = <T>(of: Chance, most: number, make: (index: number) => T): T[] =>
  Array.from({ length: 1 + below(of, most) }, (_, index) => make(index));

const letters = ["a", "ab", "a-", "b", " ", "\\n", "a a", "é"];
const classes = ["[a-z]", "[ab]", "[^b]", "[a-m]", "[ \\t]", "."];
const counts = ["?", "*", "+", "{0,9}", "{0,60}", "{3}", "{1,2}", "{0,400}", "{5,}"];

function gbnfPart(of: Chance, rules: number, depth: number): string {
  const kind = below(of, depth > 0 ? 9 : 4);
  if (kind < 2) return `"${pick(of, letters)}"`;
  if (kind === 2) return pick(of, classes);
  if (kind === 3) return `r${below(of, rules)}`;
  if (kind < 6) return `(${several(of, 4, () => gbnfPart(of, rules, depth - 1)).join(" ")})${pick(of, counts)}`;
  if (kind === 6) return `(${several(of, 5, () => gbnfPart(of, rules, depth - 1)).join(" | ")})${pick(of, counts)}`;
  if (kind === 7) return `${gbnfPart(of, rules, 0)}${pick(of, counts)} `.repeat(1 + below(of, of() < 0.1 ? 300 : 6));
  return `(${gbnfPart(of, rules, depth - 1)} | ${of() < 0.5 ? '""' : gbnfPart(of, rules, depth - 1)})`;
}

/** GBNF in which rules mostly refer to later ones; a tenth refers to any. */
export function randomGrammar(of: Chance): string {
  const rules = 1 + below(of, of() < 0.2 ? 40 : 8);
  const text = Array.from({ length: rules }, (_, index) => {
    const later = `r${Math.min(rules - 1, index + 1)}`;
    const doubles = of() < 0.3 && index + 1 < rules;
    const body = doubles
      ? pick(of, [`${later} ${later}`, `${later} | ${later}`, `${later} "x" | ${later} "y"`, `${later}? ${later}*`])
      : several(of, 3, () => gbnfPart(of, rules, 3)).join(" ");
    return `r${index} ::= ${of() < 0.9 ? body.replaceAll(/r(\d+)/gu, (_all, n: string) => `r${forward(index, Number(n), rules)}`) : body}`;
  });
  return `root ::= ${of() < 0.5 ? '"a" ' : ""}r0\n${text.join("\n")}\nr${rules} ::= "z"\n`;
}

const forward = (from: number, to: number, rules: number): number => (to > from ? to : Math.min(rules, from + 1));

function randomPattern(of: Chance): string {
  const part = (depth: number): string => {
    const kind = below(of, depth > 0 ? 6 : 2);
    if (kind === 0) return pick(of, ["a", "ab", "-", "\\d", "x y"]);
    if (kind === 1) return pick(of, ["[a-z]", "\\w", "[^b]", "\\s", "."]);
    if (kind < 4)
      return `(${several(of, 3, () => part(depth - 1)).join("")})${pick(of, ["?", "*", "+", "{0,50}", "{2,3}"])}`;
    if (kind === 4) return `(${several(of, 4, () => part(depth - 1)).join("|")})`;
    return `${part(0)}${pick(of, ["?", "*", "{0,90}"])}`.repeat(1 + below(of, of() < 0.1 ? 200 : 8));
  };
  return `^${part(3)}$`;
}

export function randomSchema(of: Chance, depth = 4): JsonSchema {
  const inner = (): JsonSchema => randomSchema(of, depth - 1);
  const properties = (most: number): Record<string, JsonSchema> =>
    Object.fromEntries(several(of, most, (i) => [`${pick(of, ["a", "ab", "name", ""])}${i}`, inner()]));
  const kind = below(of, depth > 0 ? 12 : 6);
  const many = of() < 0.1 ? 300 : 6;
  if (kind === 0) return { type: "string", pattern: randomPattern(of) };
  if (kind === 1) return { type: "string", minLength: below(of, 3), maxLength: 3 + below(of, 600) };
  if (kind === 2)
    return { enum: several(of, of() < 0.1 ? 3000 : 9, (i) => `${pick(of, ["a", "ab", "value "])}${i % 7}${i}`) };
  if (kind === 3) return { type: pick(of, ["integer", "number", "boolean", "null", "string"]) };
  if (kind === 4) return { $ref: `#/$defs/d${below(of, 4)}` };
  if (kind === 5)
    return pick(of, [{}, { type: ["string", "null", "array"] }, { type: "integer", minimum: -7, maximum: 999_999 }]);
  if (kind < 8) return { type: "array", items: inner(), minItems: below(of, 3), maxItems: 3 + below(of, many) };
  if (kind < 10) return { type: "object", properties: depth > 2 ? properties(many) : properties(3) };
  return { [pick(of, ["anyOf", "oneOf", "allOf"])]: several(of, 5, inner) };
}

const withDefinitions = (of: Chance, schema: JsonSchema): JsonSchema => ({
  ...schema,
  $defs: Object.fromEntries([0, 1, 2, 3].map((i) => [`d${i}`, randomSchema(of, 2)])),
});

/** Options of a generation: a grammar, a schema, or up to 64 tools. */
export function randomConstraint(of: Chance): GenerateOptions {
  const kind = below(of, 4);
  if (kind < 2) return { grammar: randomGrammar(of) };
  if (kind === 2) return { jsonSchema: withDefinitions(of, randomSchema(of)) };
  const count = of() < 0.1 ? 64 : 3;
  const tools = several(of, count, (i) => ({
    name: `${pick(of, ["a", "ab", "find"])}${i}`,
    parameters: withDefinitions(of, { type: "object", properties: { a: randomSchema(of, count > 3 ? 1 : 3) } }),
  }));
  return { tools, toolChoice: pick(of, ["auto", "required"]) };
}
