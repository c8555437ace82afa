// Questions that a tool asks the user while it runs: their types.
import type { ElicitParameters } from "../generated/parameters.js";
import type { JsonSchema, SchemaOutput, StandardSchema } from "./json-schema.js";

/** A question of a tool for the user. */
export interface ElicitRequest<S extends JsonSchema | StandardSchema = JsonSchema> extends ElicitParameters<S> {
  /** The question, for people. */
  readonly message: string;
}

/** The answer to a tool's question. */
export type ElicitResult<Content = Record<string, unknown>> =
  | {
      /** The content is there. */
      readonly action: "accept";
      /** The input; it fits the schema. With a schema object, what that makes of it. */
      readonly content: Content;
      /** Name of the hook that decided. */
      readonly by: string;
    }
  | {
      /** `decline`: the user refuses, or nobody answered; `cancel`: nobody decided, or the call of the tool is over. */
      readonly action: "decline" | "cancel";
      /** The reason, if one was given. */
      readonly reason?: string;
      /** Name of the hook that decided, if one did. */
      readonly by?: string;
    };

/**
 * Asks the user for input: hooks at `elicitation` answer, and may wait for a person; if none does, the answer is
 * `decline`. Meanwhile the tool's deadline stands still, and it counts anew from the answer. Questions of one run are
 * asked one at a time. The content fits the schema, and is an object: an answer that does not fit is reported as
 * HOOK_BAD_ANSWER at `error`, and is `decline` for the tool. When the call is over or its run is cancelled, the answer
 * is `cancel`. Throws `TypeError`. Rejects with INVALID_SCHEMA.
 */
export type Elicit = <const S extends JsonSchema | StandardSchema = JsonSchema>(
  this: void,
  request: ElicitRequest<S>,
) => Promise<ElicitResult<SchemaOutput<S>>>;
