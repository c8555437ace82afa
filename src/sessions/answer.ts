// Handles the answer of a run or a generation by a schema: checks the model's text, and keeps the value that the schema
// object returns.
import { optionError } from "../base/check.js";
import { messageOf } from "../base/thrown.js";
import type { GivenAnswer } from "../generate/generation.js";
import type { JsonSchema } from "../generate/json-schema.js";
import { standardValidate, type Validate, type Validated } from "../generate/standard-validate.js";
import type { GenerateResult, RunResult } from "../generated/results.js";
import { type Cancel, cancel } from "../hooks/cancel.js";
import { defineHooks, type HookSet } from "../hooks/define-hooks.js";
import { type ArgumentsCheck, argumentsCheck } from "./arguments-check.js";

export class Answer {
  /** Sends an answer back that is wrong, before other hooks see it. */
  readonly hooks: HookSet = defineHooks(
    "answer",
    {
      complete: async ({ summary, meta }): Promise<Cancel | undefined> => {
        const fault = meta.depth === 0 ? await this.#judge(summary) : undefined;
        return fault === undefined ? undefined : cancel(fault);
      },
    },
    { priority: -(2 ** 31), failClosed: true, fields: { complete: ["summary"] } },
  );
  readonly #check: ArgumentsCheck;
  readonly #validate: Validate | undefined;
  /** The values of the answers that fit, by their text. */
  readonly #fitting = new Map<string, unknown>();

  /** `schema`: of `given`, as a caller gave it. Errors: `TypeError` if Ajv cannot use the schema. */
  constructor(given: unknown, schema: JsonSchema) {
    const { check, fault } = argumentsCheck("the option answer is", schema);
    if (fault !== null) throw optionError("answer", fault);
    this.#check = check;
    this.#validate = standardValidate(given);
  }

  /** The answer of a run that has ended; undefined if it ended without one. */
  of({ answered, text }: RunResult): unknown {
    return answered === true ? this.#fitting.get(text) : undefined;
  }

  /** The answer of a generation that has ended, or why there is none. */
  async ofGeneration({ finishReason, text, toolCalls }: GenerateResult): Promise<GivenAnswer<unknown>> {
    if (finishReason !== "stop" || (text === "" && toolCalls.length > 0)) return { answer: undefined };
    let fault: string | undefined;
    try {
      fault = await this.#judge(text);
    } catch (error) {
      fault = `the answer cannot be checked: ${messageOf(error)}`;
    }
    return fault === undefined ? { answer: this.#fitting.get(text) } : { answer: undefined, answerFault: fault };
  }

  /** Returns what is wrong with an answer. Rejects with the value that a schema object's own validation throws. */
  async #judge(text: string): Promise<string | undefined> {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return "the answer is not JSON";
    }
    const wrong = this.#check(given);
    if (wrong !== undefined) return `the answer is wrong: ${wrong}`;
    const result: Validated = (await this.#validate?.(given)) ?? { value: given };
    if ("wrong" in result) return `the answer is wrong: ${result.wrong}`;
    this.#fitting.set(text, result.value);
    return undefined;
  }
}
