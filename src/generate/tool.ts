// Tools that a model may call. Must not: run them; whoever calls generate() does.
import { checkObject, optionalBoolean, optionalInteger, optionalString, wrong } from "../base/check.js";
import { type JsonSchema, type SchemaOutput, type StandardSchema, toJsonSchema } from "./json-schema.js";
import { standardValidate, type Validate } from "./standard-validate.js";

/** A tool as the model is told of it. */
export interface ToolSpec {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** What the model is told about it [nothing]. */
  readonly description?: string;
  /** Describes the arguments: an object schema. Without it the tool takes none. */
  readonly parameters?: JsonSchema | StandardSchema;
}

/** What a tool is given beside its arguments. */
export interface ToolContext {
  /** Aborts when the caller no longer wants the result. */
  readonly signal: AbortSignal;
  /**
   * In a session: what shall happen beside the result, once that is there, as docs/concepts/agent.md says. Only for tools
   * that are `trusted`: those of others are dropped, with INVALID_DIRECTIVE at `error`.
   */
  directive(this: void, type: DirectiveType, params?: Readonly<Record<string, unknown>>): void;
}

/** The types of directives; each other is a custom one, of which `customDirective` hooks make something. */
export type DirectiveType =
  | "stop_processing"
  | "tier_change"
  | "delegate"
  | "pipeline"
  | "complete"
  | "clear_todos"
  | "inject_context"
  | "prune_messages"
  | "context_anchor"
  | "phase_change"
  | "notify"
  // oxlint-disable-next-line typescript/ban-types -- keeps the list for editors, and takes any string
  | (string & {});

/** How a session runs a tool. */
export interface ToolSettings {
  /** Milliseconds that a session waits for a call [`toolDeadlineMs` of the session]; 0: as long as it takes. */
  readonly deadlineMs?: number;
  /** Its directives are carried out [false]. */
  readonly trusted?: boolean;
  /** Its calls never run while another of the message does [false]. */
  readonly exclusive?: boolean;
}

/** A tool that can be run. */
export interface Tool<Args = Record<string, unknown>> extends ToolSettings {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** What the model is told about it; empty: nothing. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonSchema;
  /** Of a schema object: what it makes of arguments that fit `parameters`. A session asks it before it runs the tool. */
  readonly validate?: Validate;
  /**
   * Runs it. What it returns, or a promise of it, is the result: texts and UTF-8 bytes as they are, nothing as
   * an empty text, all else as JSON.
   */
  run(args: Args, context: ToolContext): unknown;
}

/** What `tool()` is given. */
export interface ToolDefinition<S extends JsonSchema | StandardSchema> extends ToolSettings {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** What the model is told about it [nothing]. */
  readonly description?: string;
  /** Describes the arguments: an object schema [none are taken]. */
  readonly parameters?: S;
  /**
   * Runs it, with checked arguments. What it returns, or a promise of it, is the result: texts and UTF-8 bytes as they are, nothing as
   * an empty text, all else as JSON.
   */
  run(args: SchemaOutput<S>, context: ToolContext): unknown;
}

const noParameters: JsonSchema = { type: "object", properties: {} };

/**
 * A tool from its name, its description, its parameters (a JSON Schema or a zod schema) and the function that runs it.
 * In a session arguments must fit the JSON Schema, and then the schema object's own rules; what that fills in or converts
 * (defaults, transforms) reaches the tool, while hooks, permissions and the history have them as the model wrote them.
 * A session runs it when the model calls it; `generate()` offers it to the model and returns the calls.
 */
export function tool<const S extends JsonSchema | StandardSchema = JsonSchema>(
  definition: ToolDefinition<S>,
): Tool<SchemaOutput<S>> {
  const { run } = definition;
  const spec = checkTool(definition, "tool()");
  const validate = standardValidate(definition.parameters);
  if (typeof run !== "function") throw wrong("tool().run", "a function", run);
  return Object.freeze({
    ...spec,
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
  "validate",
  "run",
] as const;

/** Those that are set. */
export function toolSettings(given: ToolSettings, what: string): ToolSettings {
  const deadlineMs = optionalInteger(given.deadlineMs, `${what}.deadlineMs`, 0);
  const trusted = optionalBoolean(given.trusted, `${what}.trusted`);
  const exclusive = optionalBoolean(given.exclusive, `${what}.exclusive`);
  return {
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(trusted !== undefined && { trusted }),
    ...(exclusive !== undefined && { exclusive }),
  };
}

/** Checks one tool and gives what the engine is told: name, description, JSON Schema. */
export function checkTool(value: unknown, what: string): { name: string; description: string; parameters: JsonSchema } {
  const given = checkObject(value, what, toolKeys);
  if (typeof given.name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(given.name)) {
    throw wrong(`${what}.name`, "1 to 64 letters, digits, _ or -", given.name);
  }
  return {
    name: given.name,
    description: optionalString(given.description, `${what}.description`) ?? "",
    parameters: given.parameters === undefined ? noParameters : toJsonSchema(given.parameters, `${what}.parameters`),
  };
}
