// Tools and the choice among them, in the engine's form.
import { isToolName } from "../../base/names/tool-name.js";
import { isObject, optionError, requiredString, wrong } from "../../base/check.js";
import type { SamplingOptions, ToolSpec } from "../../index.js";
import { unsupported } from "../http/api-error.js";
import { toolOf } from "../openai/chat-tools.js";

/** The namespaces of tools and their names in them, by the names that the model knows them by. */
export type ToolNames = ReadonlyMap<string, { readonly namespace: string; readonly name: string }>;

/** The tools of a request. */
export interface RequestTools {
  readonly tools: readonly ToolSpec[];
  /** Places of tools that are not functions: the model does not see them. */
  readonly skipped: readonly string[];
  /** True: all of them ask for arguments that follow the schema in every keyword. */
  readonly areStrict: boolean;
  readonly names: ToolNames;
}

type Members = Readonly<Record<string, unknown>>;

/** The name by which the model knows a tool of a namespace. */
export function joinedName(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}__${name}`;
}

/** Errors: `TypeError` with `param`. */
export function toolsOf(value: unknown): RequestTools {
  const found = new Found();
  if (value !== undefined && !Array.isArray(value)) throw wrong("tools", "an array of tools", value);
  for (const [index, one] of ((value ?? []) as unknown[]).entries()) {
    const at = `tools[${index}]`;
    if (!isObject(one)) throw wrong(at, '{ type: "function", name, description, parameters }', one);
    if (one["type"] !== "namespace") found.add(one, at);
    else addNamespace(found, one, at);
  }
  return found;
}

/** Codex sends the tools of an MCP server as a namespace. A tool whose joined name is too long is skipped. */
function addNamespace(found: Found, { name: given, tools }: Members, at: string): void {
  const namespace = requiredString(given, `${at}.name`);
  if (!Array.isArray(tools)) throw wrong(`${at}.tools`, "an array of tools", tools);
  for (const [index, one] of (tools as unknown[]).entries()) {
    const own = `${at}.tools[${index}]`;
    if (!isObject(one)) throw wrong(own, '{ type: "function", name, description, parameters }', one);
    found.add(one, own, namespace);
  }
}

class Found implements RequestTools {
  readonly tools: ToolSpec[] = [];
  readonly skipped: string[] = [];
  readonly names = new Map<string, { readonly namespace: string; readonly name: string }>();
  areStrict = true;
  readonly #taken = new Set<string>();

  add(given: Members, at: string, namespace?: string): void {
    if (given["type"] !== "function") return void this.skipped.push(at);
    const own = requiredString(given["name"], `${at}.name`);
    const name = joinedName(namespace, own);
    if (namespace !== undefined && !isToolName(name)) return void this.skipped.push(at);
    const tool = toolOf({ ...given, name }, at);
    if (this.#taken.has(name)) throw optionError(`${at}.name`, `tools has two tools named ${JSON.stringify(name)}`);
    if (given["strict"] !== true) this.areStrict = false;
    if (namespace !== undefined) this.names.set(name, { namespace, name: own });
    this.#taken.add(name);
    this.tools.push(tool);
  }
}

/** A choice, and the tools that are left to choose from. */
export interface Chosen {
  readonly tools: readonly ToolSpec[];
  /** Undefined: the request says nothing, or has no tools to choose from. */
  readonly toolChoice: SamplingOptions["toolChoice"];
}

/** Errors: `TypeError` with `param`; 400 for the choice of a tool that is not a function. */
export function choiceOf(value: unknown, tools: readonly ToolSpec[]): Chosen {
  const at = "tool_choice";
  if (value === undefined || typeof value === "string") return { tools, toolChoice: modeOf(value, at, tools) };
  if (!isObject(value)) throw wrong(at, '"auto", "none", "required" or an object with a type', value);
  switch (value["type"]) {
    case "function":
      return { tools, toolChoice: { tool: namedIn(value, at, new Set(tools.map(({ name }) => name))) } };
    case "allowed_tools": {
      const left = allowedOf(value["tools"], `${at}.tools`, tools);
      return { tools: left, toolChoice: modeOf(value["mode"], `${at}.mode`, left) };
    }
    default:
      throw unsupported("tool_choice must name a function, or functions that are allowed", `${at}.type`);
  }
}

function modeOf(value: unknown, at: string, tools: readonly ToolSpec[]): SamplingOptions["toolChoice"] {
  switch (value) {
    case undefined:
      return undefined;
    case "auto":
    case "none":
      return tools.length === 0 ? undefined : value;
    case "required":
      if (tools.length === 0) throw optionError(at, `${at} is "required", and there are no functions to choose from`);
      return value;
    default:
      throw wrong(at, "one of auto, none, required", value);
  }
}

function allowedOf(value: unknown, at: string, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  if (!Array.isArray(value)) throw wrong(at, "an array of tools", value);
  const known = new Set(tools.map(({ name }) => name));
  const allowed = new Set(
    value.flatMap((one: unknown, index) => {
      const own = `${at}[${index}]`;
      if (!isObject(one)) throw wrong(own, '{ type: "function", name }', one);
      return one["type"] === "function" ? [namedIn(one, own, known)] : [];
    }),
  );
  return tools.filter(({ name }) => allowed.has(name));
}

function namedIn(value: Members, at: string, known: ReadonlySet<string>): string {
  const named = requiredString(value["name"], `${at}.name`);
  if (known.has(named)) return named;
  throw optionError(`${at}.name`, `${at} names ${JSON.stringify(named.slice(0, 64))}, which is not among the tools`);
}
