// Tools that a model may call: their types and checks.
import { isToolName, toolNameForm } from "../base/names/tool-name.js";
import { checkObject, optionalBoolean, optionalInteger, optionalName, optionalString, wrong } from "../base/check.js";
import type { ToolAnnotations } from "../generated/points.js";
import type { DirectiveType } from "../generated/tools.js";
import {
  type JsonSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  toJsonSchema,
} from "./json-schema.js";
import type { Elicit } from "./elicitation.js";
import { standardValidate, type Validate } from "./standard-validate.js";

/** A tool as the model sees it. */
export interface ToolSpec {
  /** 1 to 128 letters, digits, `_` or `-`. */
  readonly name: string;
  /** The description that the model sees [none]. */
  readonly description?: string;
  /** Schema of the arguments: an object schema. Without it the tool takes no arguments. */
  readonly parameters?: JsonSchema | StandardSchema;
}

/** Passed to a tool's function besides the arguments. */
export interface ToolContext {
  /** Aborts when the caller no longer needs the result. */
  readonly signal: AbortSignal;
  /**
   * Requests an action besides the result, in a session. The action takes effect once the result is there; see
   * docs/concepts/delegation.md. Only for `trusted` tools: directives of other tools are dropped and reported as
   * INVALID_DIRECTIVE at `error`.
   */
  directive(this: void, type: DirectiveType, params?: Readonly<Record<string, unknown>>): void;
  /**
   * Reports the tool's progress, in a session. Readers of the run get a `toolProgress` event, at most every 50 ms and
   * the last one always, and the tool's deadline counts from now on. `done` and `total` are numbers of at least 0 in
   * any unit; without `total`, the total is unknown. Ignored when the call is over. Errors: `TypeError`.
   */
  progress(this: void, done: number, total?: number, message?: string): void;
  /** Asks the user for input, in a session, and waits for the answer; see {@link Elicit}. */
  readonly elicit: Elicit;
}

/**
 * A result with more than a text. An object counts as a `ToolResult` if it has a `text` that is a string, and no other
 * keys than these; the model gets any other object as JSON.
 */
export interface ToolResult {
  /** The text for the model. */
  readonly text: string;
  /**
   * True: the call has failed, and `text` says why. The model gets the text alone, without `error:` before it, and the
   * call's `resultKind` is "error" [false].
   */
  readonly isError?: boolean;
  /**
   * Parts for the caller, such as the content blocks of an MCP result: JSON values, which the model does not get. They
   * are in the record of the call and in `postToolCall`, until a hook replaces the result. With more bytes than
   * `maxPartsBytes` of the session, the call fails [none].
   */
  readonly parts?: readonly unknown[];
}

/** A session's settings for running a tool. */
export interface ToolSettings {
  /**
   * Timeout of a call in milliseconds, counted from its beginning, its last `progress()` or the last answer to its
   * `elicit()` [`toolDeadlineMs` of the session]; 0: no timeout.
   */
  readonly deadlineMs?: number;
  /** True: the session carries out the tool's directives [false]. */
  readonly trusted?: boolean;
  /** True: the tool's calls run alone, never beside another call of the same message [false]. */
  readonly exclusive?: boolean;
  /**
   * Hints about the tool, as MCP has them, for hooks (`preToolCall`, `permissionCheck`, `postToolCall`) and permission
   * rules [none]. The engine does not act on them, and the model does not see them.
   */
  readonly annotations?: NonNullable<ToolAnnotations>;
  /** The place that the tool comes from, for the same hooks and rules: `"mcp:files"` [none]. */
  readonly origin?: string;
}

/**
 * A tool that can be run. `Args`: what its function gets; `Name`: its name; `Written`: the arguments as the model
 * writes them, before defaults and transforms of a schema object.
 */
export interface Tool<
  Args = Record<string, unknown>,
  Name extends string = string,
  Written = Args,
> extends ToolSettings {
  /** 1 to 128 letters, digits, `_` or `-`. */
  readonly name: Name;
  /** Exists for the compiler only. */
  readonly types?:
    | {
        /** The arguments as the model writes them. */
        readonly args: Written;
      }
    | undefined;
  /** The description that the model sees; empty: none. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema;
  /**
   * Validation by the schema object, if there is one, for arguments that fit `parameters`. A session calls it before it
   * runs the tool.
   */
  readonly validate?: Validate;
  /**
   * Runs the tool. The returned value, or the value of the returned promise, is the result: a string or UTF-8 bytes
   * unchanged, `undefined` as an empty text, a {@link ToolResult} as it says, anything else as JSON.
   */
  run(args: Args, context: ToolContext): unknown;
}

/** The argument of `tool()`. */
export interface ToolDefinition<
  S extends JsonSchema | StandardSchema,
  Name extends string = string,
> extends ToolSettings {
  /** 1 to 128 letters, digits, `_` or `-`. */
  readonly name: Name;
  /** The description that the model sees [none]. */
  readonly description?: string;
  /** Schema of the arguments: an object schema [no arguments]. */
  readonly parameters?: S;
  /**
   * Runs the tool with checked arguments. The returned value, or the value of the returned promise, is the result: a
   * string or UTF-8 bytes unchanged, `undefined` as an empty text, a {@link ToolResult} as it says, anything else as
   * JSON.
   */
  run(args: SchemaOutput<S>, context: ToolContext): unknown;
}

const noParameters: JsonSchema = { type: "object", properties: {} };

/**
 * Creates a tool from a name, a description, parameters (a JSON Schema or a zod schema) and the function that runs it.
 * A session runs it when the model calls it; `generate()` offers it to the model and returns the calls.
 * In a session, arguments must fit the JSON Schema and then the schema object's own rules. Its defaults and conversions
 * are applied once, before `preToolCall`: hooks, permission rules and the tool receive the converted arguments (hooks
 * and rules as JSON, in which a `Date` is a text). The history and `result.toolCalls` keep the arguments that the model
 * wrote.
 *
 * @example
 * ```ts
 * const weather = tool({
 *   name: "weather",
 *   description: "Returns the current weather of a city.",
 *   parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   run: ({ city }) => ({ city, temp_c: 14, condition: "rain" }),
 * });
 * const { text } = await engine.session({ tools: [weather] }).run("How is the weather in Oslo?");
 * ```
 */
export function tool<const S extends JsonSchema | StandardSchema = JsonSchema, const Name extends string = string>(
  definition: ToolDefinition<S, Name>,
): Tool<SchemaOutput<S>, Name, SchemaInput<S>> {
  const { run } = definition;
  const spec = checkTool(definition, "tool()");
  const validate = standardValidate(definition.parameters);
  if (typeof run !== "function") throw wrong("tool().run", "a function", run);
  return Object.freeze({
    ...spec,
    name: definition.name,
    ...toolSettings(definition, "tool()"),
    ...(validate !== undefined && { validate }),
    run: (args: SchemaOutput<S>, context: ToolContext) => definition.run(args, context),
  });
}

const toolKeys = [
  "name",
  "description",
  "parameters",
  "deadlineMs",
  "trusted",
  "exclusive",
  "annotations",
  "origin",
  "validate",
  "run",
] as const;

/** Returns the settings that are set. */
export function toolSettings(given: ToolSettings, what: string): ToolSettings {
  const deadlineMs = optionalInteger(given.deadlineMs, `${what}.deadlineMs`, 0);
  const trusted = optionalBoolean(given.trusted, `${what}.trusted`);
  const exclusive = optionalBoolean(given.exclusive, `${what}.exclusive`);
  const annotations = annotationsOf(given.annotations, `${what}.annotations`);
  const origin = optionalName(given.origin, `${what}.origin`);
  return {
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(trusted !== undefined && { trusted }),
    ...(exclusive !== undefined && { exclusive }),
    ...(annotations !== undefined && { annotations }),
    ...(origin !== undefined && { origin }),
  };
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function annotationsOf(value: unknown, what: string): NonNullable<ToolAnnotations> | undefined {
  if (value === undefined) return undefined;
  const given = checkObject(value, what, ["title", ...hints]);
  optionalString(given.title, `${what}.title`);
  for (const hint of hints) optionalBoolean(given[hint], `${what}.${hint}`);
  return Object.freeze(Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)));
}

/** Checks a tool and returns what the engine needs: name, description, JSON Schema. */
export function checkTool(value: unknown, what: string): { name: string; description: string; parameters: JsonSchema } {
  const given = checkObject(value, what, toolKeys);
  if (!isToolName(given.name)) throw wrong(`${what}.name`, toolNameForm, given.name);
  return {
    name: given.name,
    description: optionalString(given.description, `${what}.description`) ?? "",
    parameters:
      given.parameters === undefined
        ? noParameters
        : toJsonSchema(given.parameters, `${what}.parameters`, `${what}.parameters of the tool "${given.name}"`),
  };
}
