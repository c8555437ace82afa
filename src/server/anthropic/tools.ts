// Tools and the choice among them, in the engine's form.
import { isToolName, toolNameForm } from "../../base/names/tool-name.js";
import { isObject, optionalBoolean, optionalString, optionError, requiredString, wrong } from "../../base/check.js";
import type { GenerateOptions, ToolSpec } from "../../index.js";

/** The tools of a request. */
export interface Tools {
  readonly tools: readonly ToolSpec[];
  /** Places of tools that the provider of the protocol runs itself: the model does not see them. */
  readonly skipped: readonly string[];
}

/** `deferred`: places of tools that the model does not see yet. Errors: `TypeError` with `param`. */
export function toolsOf(value: unknown, deferred: ReadonlySet<number>): Tools {
  if (value === undefined) return { tools: [], skipped: [] };
  if (!Array.isArray(value)) throw wrong("tools", "an array of tools", value);
  const tools: ToolSpec[] = [];
  const names = new Set<string>();
  const skipped: string[] = [];
  for (const [index, one] of (value as unknown[]).entries()) {
    const at = `tools[${index}]`;
    if (!isObject(one)) throw wrong(at, "an object with name, description and input_schema", one);
    if ((one["type"] ?? "custom") !== "custom") {
      skipped.push(at);
      continue;
    }
    const tool = toolOf(one, at);
    if (names.has(tool.name)) throw optionError(`${at}.name`, `tools has two tools named ${JSON.stringify(tool.name)}`);
    names.add(tool.name);
    if (!deferred.has(index)) tools.push(tool);
  }
  return { tools, skipped };
}

function toolOf(given: Readonly<Record<string, unknown>>, at: string): ToolSpec {
  const { name, description, input_schema: schema } = given;
  if (!isToolName(name)) throw wrong(`${at}.name`, toolNameForm, name);
  if (!isObject(schema)) throw wrong(`${at}.input_schema`, "a JSON Schema (an object)", schema);
  const text = optionalString(description ?? undefined, `${at}.description`);
  return { name, ...(text !== undefined && { description: text }), parameters: schema };
}

/** The options of a choice. Errors: `TypeError` with `param`. */
export function toolChoiceOf(
  value: unknown,
  tools: readonly ToolSpec[],
): Pick<GenerateOptions, "toolChoice" | "parallelToolCalls"> {
  const at = "tool_choice";
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(at, "an object with a type", value);
  const one = optionalBoolean(value["disable_parallel_tool_use"] ?? undefined, `${at}.disable_parallel_tool_use`);
  const parallel = one === true && tools.length > 0 ? { parallelToolCalls: false } : {};
  switch (value["type"]) {
    case "auto":
    case "none":
      return tools.length === 0 ? {} : { toolChoice: value["type"], ...parallel };
    case "any":
      if (tools.length === 0) throw optionError(at, 'tool_choice is "any", and the request has no tools');
      return { toolChoice: "required", ...parallel };
    case "tool": {
      const tool = requiredString(value["name"], `${at}.name`);
      if (!tools.some(({ name }) => name === tool))
        throw optionError(
          `${at}.name`,
          `tool_choice names ${JSON.stringify(tool.slice(0, 64))}, which is not among the tools`,
        );
      return { toolChoice: { tool }, ...parallel };
    }
    default:
      throw wrong(`${at}.type`, "one of auto, any, tool, none", value["type"]);
  }
}
