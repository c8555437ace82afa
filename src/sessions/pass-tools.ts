// Passes the tools of a session to the engine. Must not: check them.
import { snakeTop, toJson } from "../base/wire.js";
import { toolFlags } from "../generated/flags.js";
import type { NeverMatched } from "../hooks/never-matched.js";
import type { ToolSettings } from "../generate/tool.js";
import type { NativeTool } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { CheckedTool } from "./session-options.js";
import type { ToolFunctions } from "./tool-functions.js";
import { functionsOf } from "./validated-tool.js";

/** The tool's LH_TOOL_* bits. */
function flagsOf(settings: ToolSettings): number {
  const { jsonResult, prepares, trusted, exclusive } = toolFlags;
  return jsonResult | prepares | (settings.trusted ? trusted : 0) | (settings.exclusive ? exclusive : 0);
}

/** Passes tools to the engine, which says when it has released their functions; at once if `take` throws. */
export function passTools<T>(
  host: { readonly functions: ToolFunctions; readonly errors: NativeErrors; readonly neverMatched: NeverMatched },
  tools: readonly CheckedTool[],
  take: (tools: NativeTool[]) => T,
): T {
  const { functions, errors, neverMatched } = host;
  const native = tools.map(({ name, description, parameters, settings, fault, ...tool }) => {
    const { run, check } = functionsOf(tool);
    return {
      name,
      description,
      parameters: toJson(parameters),
      deadlineMs: settings.deadlineMs ?? -1,
      flags: flagsOf(settings),
      fault,
      annotations: settings.annotations === undefined ? null : toJson(snakeTop(settings.annotations)),
      origin: settings.origin ?? null,
      run: functions.add(run),
      check: functions.add(check, { answersJson: true }),
    };
  });
  neverMatched.add(
    "tool",
    tools.map(({ name }) => name),
  );
  try {
    return errors.call(() => take(native));
  } catch (error) {
    for (const id of native.flatMap(({ run, check }) => [run, check])) functions.remove(id);
    throw error;
  }
}
