// The check and the run of a tool whose arguments a JSON Schema describes, and maybe a schema object with rules of its
// own. Must not: run what the check has refused.
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

/** Runs the tool with what its schema object makes of the arguments, or with these as they are. */
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
