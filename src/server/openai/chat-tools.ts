// Tools, the choice among them, and the form of the answer, in the engine's form.
import { isToolName, toolNameForm } from "../../base/names/tool-name.js";
import { isObject, optionalString, optionError, requiredString, wrong } from "../../base/check.js";
import type { JsonSchema, SamplingOptions, ToolSpec } from "../../index.js";
import { unsupported } from "../http/api-error.js";

/** The tools of a request. */
export interface RequestTools {
  readonly tools: readonly ToolSpec[];
  /** Places of tools that are not functions: the model does not see them. */
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
  if (!isToolName(name)) throw wrong(`${at}.name`, toolNameForm, name);
  if (parameters !== null && !isObject(parameters))
    throw wrong(`${at}.parameters`, "a JSON Schema (an object)", parameters);
  const text = optionalString(description ?? undefined, `${at}.description`);
  return { name, ...(text !== undefined && { description: text }), ...(parameters !== null && { parameters }) };
}

/** A choice, and the tools that are left to choose from. */
export interface Choice {
  readonly tools: readonly ToolSpec[];
  /** Undefined: the request says nothing, or has no tools to choose from. */
  readonly toolChoice: SamplingOptions["toolChoice"];
}

/** Errors: `TypeError` with `param`; 400 for the choice of a tool that is not a function. */
export function choiceOf(value: unknown, tools: readonly ToolSpec[]): Choice {
  const at = "tool_choice";
  if (!isObject(value)) return { tools, toolChoice: modeOf(value, at, tools) };
  if (value["type"] === "function") return { tools, toolChoice: { tool: namedIn(value, at, tools) } };
  if (value["type"] !== "allowed_tools") throw unsupported("tool_choice must name a function, or allowed_tools", at);
  const allowed = value["allowed_tools"];
  const own = `${at}.allowed_tools`;
  if (!isObject(allowed) || !Array.isArray(allowed["tools"]))
    throw wrong(own, "an object with mode and tools", allowed);
  const names = (allowed["tools"] as unknown[]).map((one, index) => {
    if (!isObject(one)) throw wrong(`${own}.tools[${index}]`, '{ type: "function", function: { name } }', one);
    return one["type"] === "function" ? namedIn(one, `${own}.tools[${index}]`, tools) : undefined;
  });
  const left = tools.filter(({ name }) => names.includes(name));
  return { tools: left, toolChoice: modeOf(allowed["mode"], `${own}.mode`, left) };
}

function modeOf(value: unknown, at: string, tools: readonly ToolSpec[]): SamplingOptions["toolChoice"] {
  if (value === undefined) return undefined;
  if (value === "auto" || value === "none") return tools.length === 0 ? undefined : value;
  if (value !== "required") throw wrong(at, '"auto", "none", "required" or a function', value);
  if (tools.length === 0) throw optionError(at, `${at} is "required", and the request has no tools`);
  return value;
}

function namedIn(given: Readonly<Record<string, unknown>>, at: string, tools: readonly ToolSpec[]): string {
  const named = isObject(given["function"]) ? given["function"]["name"] : undefined;
  const tool = requiredString(named, `${at}.function.name`);
  if (tools.some(({ name }) => name === tool)) return tool;
  throw optionError(
    `${at}.function.name`,
    `${at} names ${JSON.stringify(tool.slice(0, 64))}, which is not among the tools`,
  );
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
