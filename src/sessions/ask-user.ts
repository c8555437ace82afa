// Asks the user for input on behalf of a tool, and checks the content that hooks answer. Must not: decide anything.
import { LlamaHooksError } from "../base/errors.js";
import { checkObject, isThenable, requiredString } from "../base/check.js";
import { isA } from "../base/thrown.js";
import { toJson } from "../base/wire.js";
import type { Elicit, ElicitResult } from "../generate/elicitation.js";
import { type JsonSchema, toJsonSchema } from "../generate/json-schema.js";
import { standardValidate, type Validated } from "../generate/standard-validate.js";
import type { ErrorCode } from "../generated/errors.js";
import { argumentsCheck } from "./arguments-check.js";

/** The functions of the engine that a question uses. */
export interface AskingEngine {
  /** Resolves with an elicit result. Rejects with NOT_FOUND if the call is over. */
  elicit(callId: number, requestJson: string): Promise<string>;
  /** Fires `error` for the run. Throws NOT_FOUND if the call is over. */
  report(callId: number, code: ErrorCode, message: string): void;
}

export interface AskingCall {
  readonly id: number;
  readonly over: boolean;
  readonly toolName: string;
}

const anyObject: JsonSchema = { type: "object" };
const tooLate: ElicitResult = { action: "cancel", reason: "the call of the tool is over" };

/** `elicit()` of the call's context. */
export function elicitFor(engine: AskingEngine, call: AskingCall): Elicit {
  const elicit = (request: unknown): Promise<ElicitResult> => {
    const given = checkObject(request, "The request of elicit()", ["message", "schema"]);
    const message = requiredString(given.message, "message of elicit()");
    const schema = given.schema === undefined ? anyObject : toJsonSchema(given.schema, "schema of elicit()");
    if (!describesObject(schema)) throw new TypeError("schema of elicit() must be the schema of an object");
    return ask(engine, call, message, { schema, validate: standardValidate(given.schema) });
  };
  return elicit as Elicit;
}

function describesObject({ type }: JsonSchema): boolean {
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

interface Form {
  readonly schema: JsonSchema;
  readonly validate: ReturnType<typeof standardValidate>;
}

async function ask(engine: AskingEngine, call: AskingCall, question: string, form: Form): Promise<ElicitResult> {
  const { check, fault } = argumentsCheck("the schema of elicit() is", form.schema);
  if (fault !== null) throw new LlamaHooksError("INVALID_SCHEMA", fault);
  if (call.over) return tooLate;
  const answer = await engine.elicit(call.id, toJson({ message: question, schema: form.schema })).catch(lateAnswer);
  const result = typeof answer === "string" ? (JSON.parse(answer) as ElicitResult) : answer;
  if (result.action !== "accept") return result;
  const validated = await validatedContent(result.content, check, form.validate);
  if ("value" in validated) return { ...result, content: validated.value as Record<string, unknown> };
  const reason = `the content does not fit the schema: ${validated.wrong}`;
  try {
    const message = `the hook ${result.by} answered a question of ${call.toolName}, and ${reason}`;
    engine.report(call.id, "HOOK_BAD_ANSWER", message);
  } catch (error) {
    return lateAnswer(error);
  }
  return { action: "decline", by: result.by, reason };
}

/** Returns the answer for a call that is over, or an engine that is closed. */
function lateAnswer(error: unknown): ElicitResult {
  if (isA(error, LlamaHooksError) && (error.code === "NOT_FOUND" || error.code === "CLOSED")) return tooLate;
  throw error;
}

async function validatedContent(
  content: Record<string, unknown>,
  check: (value: unknown) => string | undefined,
  validate: Form["validate"],
): Promise<Validated> {
  const wrong = check(content);
  if (wrong !== undefined) return { wrong };
  const validated = validate?.(content) ?? { value: content };
  return isThenable(validated) ? Promise.resolve(validated) : validated;
}
