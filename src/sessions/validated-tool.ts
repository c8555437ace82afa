// Checks the arguments of a tool with its JSON Schema and with its schema object's own rules, and runs it. Must not:
// run a call that the check refused.
import { isObject, isThenable } from "../base/check.js";
import type { Validated } from "../generate/standard-validate.js";
import type { CheckedTool } from "./session-options.js";
import { Refusal, type ToolFunction } from "./tool-functions.js";

/** Throws, or rejects with, what is wrong with the arguments. */
export function checkOf({ check, validate }: Pick<CheckedTool, "check" | "validate">): ToolFunction {
  return ({ args }) => {
    const wrong = check(args);
    if (wrong !== undefined) throw new Refusal(wrong);
    const result = validate?.(args);
    if (isThenable(result))
      return Promise.resolve(result)
        .then(valueOf)
        .then(() => undefined);
    if (result !== undefined) valueOf(result);
    return undefined;
  };
}

/** Runs the tool with the schema object's output, or with the arguments themselves if there is no schema object. */
export function runOf({ run, validate }: Pick<CheckedTool, "run" | "validate">): ToolFunction {
  if (validate === undefined) return ({ args }, context) => run(args, context);
  return ({ args }, context) => {
    const result = validate(args);
    return isThenable(result)
      ? Promise.resolve(result).then((given) => run(valueOf(given), context))
      : run(valueOf(result), context);
  };
}

function valueOf(result: Validated): unknown {
  if (!isObject(result) || !("wrong" in result || "value" in result)) {
    throw new TypeError("validate() gave neither a value nor what is wrong");
  }
  if ("wrong" in result) throw new Refusal(result.wrong);
  return result.value;
}
