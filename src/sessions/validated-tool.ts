// Checks the arguments of a tool with its JSON Schema and with its schema object's own rules, which may add defaults
// and conversions, and runs the tool with the converted arguments. Must not: run a call with other values than hooks
// and rules saw.
import { canonical } from "../base/canonical.js";
import { isObject, isThenable } from "../base/check.js";
import type { Validated } from "../generate/standard-validate.js";
import type { CheckedTool } from "./session-options.js";
import { Refusal, type ToolFunction, type ToolFunctionCall } from "./tool-functions.js";

type Judged = Pick<CheckedTool, "check" | "validate" | "run">;

/** The arguments after a check: as hooks see them, which is JSON, and as the tool receives them. */
interface Prepared {
  readonly args: string;
  readonly value: unknown;
}

/**
 * The maximum number of calls between their check and their run. Refused calls stay among them, so the oldest are
 * dropped.
 */
const mostPrepared = 256;

/** The two functions by which the engine uses a tool. */
export function functionsOf({ check, validate, run }: Judged): { check: ToolFunction; run: ToolFunction } {
  const prepared = new Map<string, Prepared>();
  const keep = (call: ToolFunctionCall, given: Validated): unknown => {
    const value = valueOf(given);
    const args = argsOf(value) ?? call.args;
    const [oldest] = prepared.keys();
    if (prepared.size >= mostPrepared && oldest !== undefined) prepared.delete(oldest);
    prepared.set(keyOf(call), { args: canonical(args), value });
    return args === call.args ? {} : { args };
  };
  const take = (call: ToolFunctionCall): Prepared | undefined => {
    const one = prepared.get(keyOf(call));
    prepared.delete(keyOf(call));
    return one?.args === canonical(call.args) ? one : undefined;
  };
  return {
    check: (call) => {
      const wrong = check(call.args);
      if (wrong !== undefined) throw new Refusal(wrong);
      const result = validate?.(call.args);
      if (result === undefined) return {};
      return isThenable(result) ? Promise.resolve(result).then((given) => keep(call, given)) : keep(call, result);
    },
    run: (call, context) => {
      if (validate === undefined) return run(call.args, context);
      const one = take(call);
      if (one !== undefined) return run(one.value, context);
      const again = (given: Validated): unknown => {
        const value = valueOf(given);
        if (canonical(argsOf(value) ?? call.args) !== canonical(call.args))
          throw new Refusal("the arguments are others than those that were allowed");
        return run(value, context);
      };
      const result = validate(call.args);
      return isThenable(result) ? Promise.resolve(result).then(again) : again(result);
    },
  };
}

function keyOf({ session_id: session, tool_call_id: id }: ToolFunctionCall): string {
  return JSON.stringify([session, id]);
}

/** The value as hooks and rules see it. Undefined: it is not a JSON object, and they see the original arguments. */
function argsOf(value: unknown): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(JSON.stringify(value));
    return isObject(json) && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined; // a BigInt, a circular reference
  }
}

function valueOf(result: Validated): unknown {
  if (!isObject(result) || !("wrong" in result || "value" in result)) {
    throw new TypeError("validate() gave neither a value nor what is wrong");
  }
  if ("wrong" in result) throw new Refusal(result.wrong);
  return result.value;
}
