// Any value may be thrown; the error describes it in words.
import { expect, test } from "vitest";
import { type Tool, tool } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { calls, runOnce, resultTexts } from "../support/sessions.js";

class Failure {
  readonly #why: string;
  constructor(why: string) {
    this.#why = why;
  }
  toString(): string {
    return `Failure: ${this.#why}`;
  }
}

class Plain {
  readonly #nothing = undefined;
  hides(): unknown {
    return this.#nothing;
  }
}

const values: [string, unknown, string, string][] = [
  ["an object with a message", { message: "no money" }, "no money", "an object: no money"],
  [
    "an object with a code",
    { code: 7, detail: ["x"] },
    '{"code":7,"detail":["x"]}',
    'an object: {"code":7,"detail":["x"]}',
  ],
  [
    "an object whose message is an object",
    { message: { a: 1 } },
    '{"message":{"a":1}}',
    'an object: {"message":{"a":1}}',
  ],
  ["an object that says what it is", new Failure("late"), "Failure: late", "an object (Failure): Failure: late"],
  ["an object that says nothing", new Plain(), "an object (Plain)", "an object (Plain)"],
  ["an array", [1, 2], "1,2", "an array of 2: 1,2"],
  ["nothing", undefined, "undefined", "undefined"],
];

test.each(values)("%s, thrown by a tool and by a hook", async (_, value, toModel, toCaller) => {
  const engine = await openEngine([calls("odd"), "Well."]);
  const odd = tool({ name: "odd", run: () => Promise.reject(value) }) as Tool; // oxlint-disable-line typescript/prefer-promise-reject-errors
  engine.hooks.on("loopStart", () => Promise.reject(value), { name: "odd" }); // oxlint-disable-line typescript/prefer-promise-reject-errors
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const result = await runOnce(engine, { tools: [odd] });
  expect(resultTexts(result)).toEqual([`error: ${toModel}`]);
  expect(result.toolCalls[0]?.cause).toBe(value);
  expect(errors).toEqual([expect.stringMatching(/loopStart|LOOP_START/), `odd: ${toModel}`]);
  expect(errors[0]).toContain(`threw ${toCaller}`);
});
