// Tools, the choice among them, and the form of the answer, in the engine's form.
import { isObject, optionalString, optionError, requiredString, wrong } from "../../base/check.js";
import type { JsonSchema, SamplingOptions, ToolSpec } from "../../index.js";
import { unsupported } from "../http/api-error.js";

/** The tools of a request. */
export interface RequestTools {
  readonly tools: readonly ToolSpec[];
  /** Places of tools that are no functions: the model is not told of them. */
  readonly skipped: readonly string[];
  /** True: all of them ask for arguments that follow the schema in every keyword. */
  readonly areStrict: boolean;
}

/** Tools of other types than "function" are skipped, because clients send those of their provider, too. */
export function toolsOf(value: unknown): RequestTools {
  if (value === undefined) return { tools: [], skipped: [], areStrict: true };
  if (!Array.isArray(value)) throw wrong("tools", "an array of tools", value);
  const tools: ToolSpec[] = [];
  const names = new Set<string>();
  const skipped: string[] = [];
  let areStrict = true;
  for (const [index, one] of (value as unknown[]).entries()) {
    const at = `tools[${index}]`;
    if (!isObject(one)) throw wrong(at, '{ type: "function", function: { name, description, parameters } }', one);
    if (one["type"] !== "function") {
      skipped.push(at);
      continue;
    }
    const given = one["function"];
    if (!isObject(given)) throw wrong(`${at}.function`, "an object with name, description and parameters", given);
    const tool = toolOf(given, `${at}.function`);
    if (names.has(tool.name))
      throw optionError(`${at}.function.name`, `tools has two tools named ${JSON.stringify(tool.name)}`);
    if (given["strict"] !== true) areStrict = false;
    names.add(tool.name);
    tools.push(tool);
  }
  return { tools, skipped, areStrict };
}

/** A tool of a request. Errors: `TypeError` with `param`. */
export function toolOf(given: Readonly<Record<string, unknown>>, at: string): ToolSpec {
  const { name, description, parameters = null } = given;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw wrong(`${at}.name`, "1 to 64 letters, digits, _ or -", name);
  if (parameters !== null && !isObject(parameters))
    throw wrong(`${at}.parameters`, "a JSON Schema (an object)", parameters);
  const text = optionalString(description ?? undefined, `${at}.description`);
  return { name, ...(text !== undefined && { description: text }), ...(parameters !== null && { parameters }) };
}

/** Undefined: the request says nothing, or has no tools to choose from. */
export function toolChoiceOf(value: unknown, tools: readonly ToolSpec[]): SamplingOptions["toolChoice"] {
  const at = "tool_choice";
  if (value === undefined) return undefined;
  if (value === "auto" || value === "none") return tools.length === 0 ? undefined : value;
  if (value === "required") {
    if (tools.length === 0) throw optionError(at, 'tool_choice is "required", and the request has no tools');
    return value;
  }
  if (!isObject(value)) throw wrong(at, '"auto", "none", "required" or a function', value);
  if (value["type"] !== "function") throw unsupported("tool_choice must name a function", at);
  const named = isObject(value["function"]) ? value["function"]["name"] : undefined;
  const tool = requiredString(named, `${at}.function.name`);
  if (!tools.some(({ name }) => name === tool))
    throw optionError(
      `${at}.function.name`,
      `tool_choice names ${JSON.stringify(tool.slice(0, 64))}, which is not among the tools`,
    );
  return { tool };
}

/** The schema that an answer must follow. */
export interface ResponseFormat {
  readonly schema: JsonSchema | undefined;
  readonly isStrict: boolean;
}

/** Reads `response_format`. */
export function responseFormatOf(value: unknown): ResponseFormat {
  const at = "response_format";
  if (value === undefined) return { schema: undefined, isStrict: true };
  if (!isObject(value)) throw wrong(at, "an object with a type", value);
  switch (value["type"]) {
    case "text":
      return { schema: undefined, isStrict: true };
    case "json_object":
      return { schema: { type: "object" }, isStrict: true };
    case "json_schema": {
      const given = value["json_schema"];
      const schema = isObject(given) ? given["schema"] : undefined;
      if (!isObject(given) || !isObject(schema))
        throw wrong(`${at}.json_schema.schema`, "a JSON Schema (an object)", schema);
      return { schema, isStrict: given["strict"] === true };
    }
    default:
      throw wrong(`${at}.type`, "one of text, json_object, json_schema", value["type"]);
  }
}
