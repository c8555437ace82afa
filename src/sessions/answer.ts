// The answer of a run by a schema: checks what the model gives, and keeps what the schema object makes of it.
import { isThenable, optionError } from "../base/check.js";
import { toJsonSchema } from "../generate/json-schema.js";
import { standardValidate, type Validate, type Validated } from "../generate/standard-validate.js";
import type { RunResult } from "../generated/results.js";
import { type Cancel, cancel } from "../hooks/cancel.js";
import { defineHooks, type HookSet } from "../hooks/define-hooks.js";
import { type ArgumentsCheck, argumentsCheck } from "./arguments-check.js";

export class Answer {
  /** Sends an answer back that is wrong, before other hooks see it. */
  readonly hooks: HookSet = defineHooks(
    "answer",
    { complete: ({ summary, meta }) => (meta.depth === 0 ? this.#judge(summary) : undefined) },
    { priority: -(2 ** 31), failClosed: true },
  );
  readonly #check: ArgumentsCheck;
  readonly #validate: Validate | undefined;
  /** The values of the answers that fit, by their text. */
  readonly #fitting = new Map<string, unknown>();

  /** Errors: `TypeError` if Ajv cannot use the schema. */
  constructor(schema: unknown) {
    const { check, fault } = argumentsCheck("the option answer is", toJsonSchema(schema, "answer"));
    if (fault !== null) throw optionError("answer", fault);
    this.#check = check;
    this.#validate = standardValidate(schema);
  }

  /** The answer of a run that has ended; undefined if it ended without one. */
  of({ answered, text }: RunResult): unknown {
    return answered === true ? this.#fitting.get(text) : undefined;
  }

  #judge(text: string): Cancel | undefined | Promise<Cancel | undefined> {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return cancel("the answer is no JSON");
    }
    const wrong = this.#check(given);
    if (wrong !== undefined) return cancel(`the answer is wrong: ${wrong}`);
    const validated = this.#validate?.(given) ?? { value: given };
    const take = (result: Validated): Cancel | undefined => {
      if ("wrong" in result) return cancel(`the answer is wrong: ${result.wrong}`);
      this.#fitting.set(text, result.value);
      return undefined;
    };
    return isThenable(validated) ? Promise.resolve(validated).then(take) : take(validated);
  }
}
