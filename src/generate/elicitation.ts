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
      /** Name of the hook that gave the content. */
      readonly by: string;
    }
  | {
      /**
       * `decline`: the user refuses, no hook answered, or the answer did not fit; `cancel`: a hook cancelled, the user
       * did not decide, or the call of the tool is over.
       */
      readonly action: "decline" | "cancel";
      /** The reason, if one was given. */
      readonly reason?: string;
      /** Name of the hook that changed the answer, if one did: it begins as `decline`. */
      readonly by?: string;
    };

/**
 * Asks the user for input: hooks at `elicitation` answer, and may wait for a person. The schema must describe an
 * object. The tool's deadline is paused meanwhile and restarts with the answer. Questions of a run, and of the runs
 * that it delegates to, are asked one at a time, in their order; a call may have 64 open ones. An answer that does not
 * fit the schema is reported as HOOK_BAD_ANSWER at `error`, and is `decline` for the tool. When the call is over or its
 * run is cancelled, the answer is `cancel`. Throws `TypeError`. Rejects with INVALID_SCHEMA, INVALID_ARGUMENT (a schema
 * that is nested too deep), BUSY, REENTRANT (inside a hook of the run), NO_THREAD, and what a schema object's own
 * validation throws.
 */
export type Elicit = <const S extends JsonSchema | StandardSchema = JsonSchema>(
  this: void,
  request: ElicitRequest<S>,
) => Promise<ElicitResult<SchemaOutput<S>>>;
