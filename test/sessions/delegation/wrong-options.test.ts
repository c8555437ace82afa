// Options of tiers, phases and control tools that are wrong: the error names them.
import { expect, test } from "vitest";
import type { SessionOptions } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";

test.each<[string, SessionOptions, string | RegExp]>([
  ["delegate without tiers", { controlTools: ["delegate"] }, 'controlTools has "delegate", and there are no tiers'],
  [
    "phase_change without phases",
    { controlTools: ["phase_change"] },
    'controlTools has "phase_change", and there are no phases',
  ],
  [
    "a tool of a tier that there is not",
    { tiers: { coder: { tools: ["axe"] } } },
    'tiers.coder names the tool "axe", which the session does not have',
  ],
  [
    "parameters that do not go together",
    { jsonSchema: {}, tiers: { coder: { grammar: 'root ::= "a"' } } },
    /^tiers\.coder: .*exclude each other/,
  ],
])("%s is INVALID_ARGUMENT", async (_, wrong, message) => {
  const engine = await openEngine(["Hi."]);
  expect(() => engine.session(wrong)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringMatching(message) as string }) as Error,
  );
});

test("what is wrong with tiers, phases and control tools is named", async () => {
  const engine = await openEngine(["Hi."]);
  const bad = (options: object): unknown => engine.session(options as SessionOptions);
  expect(() => bad({ controlTools: ["fly"] })).toThrow(/^controlTools\[0\] must be .*, got "fly"/);
  expect(() => bad({ tiers: [] })).toThrow("tiers must be an object of options by name, got an array of 0");
  expect(() => bad({ tiers: { coder: { sytem: "x" } } })).toThrow(
    /^tiers\.coder has no key "sytem"; did you mean "system"/,
  );
  expect(() => bad({ tiers: { coder: { topK: -1 } } })).toThrow(/^tiers\.coder\.topK must be/);
  expect(() => bad({ tiers: { coder: { permissions: [{}] } } })).toThrow(
    "tiers.coder.permissions[0] must have one of allow, deny and ask",
  );
  expect(() => bad({ phases: { plan: { tools: "clock" } } })).toThrow(/^phases\.plan\.tools must be/);
});
