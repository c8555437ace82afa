// Errors as the AI SDK recognises them: by symbols, so that they need not be instances of its classes.
import { LlamaHooksError } from "../index.js";

function marked<E extends Error>(error: E, name: string, fields: object): E {
  const marks = { [Symbol.for("vercel.ai.error")]: true, [Symbol.for(`vercel.ai.error.${name}`)]: true };
  return Object.assign(error, marks, fields);
}

/** Returns an error that fits `NoSuchModelError.isInstance()`. */
export function noSuchModel(modelType: string, modelId: string): Error {
  const error = new Error(`No such ${modelType}: ${modelId}; an engine of llama-hooks has none of this kind`);
  error.name = "AI_NoSuchModelError";
  return marked(error, error.name, { modelId, modelType });
}

/** Returns an error that fits `UnsupportedFunctionalityError.isInstance()`. */
export function unsupported(functionality: string, message: string): Error {
  const error = new Error(message);
  error.name = "AI_UnsupportedFunctionalityError";
  return marked(error, error.name, { functionality });
}

/** The final answer contradicts text or calls that were streamed. Fits `InvalidResponseDataError.isInstance()`. */
export function takenBack(data: unknown): Error {
  const error = new Error(
    "The final answer contradicts what was streamed, and streamed text cannot be taken back: hold such streams with " +
      'providerOptions.llamaHooks.stream "held"',
  );
  error.name = "AI_InvalidResponseDataError";
  return marked(error, error.name, { data });
}

/**
 * The error of a call, as callers of the AI SDK get it: the reason of an aborted signal, or the engine's own error. The
 * AI SDK retries API call errors with `isRetryable` alone, and only BUSY is such an error.
 */
export function callError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (!isOwn(error)) return error;
  if (error.code === "CANCELLED" && signal?.aborted === true) return signal.reason;
  if (error.code !== "BUSY") return error;
  const busy = new LlamaHooksError("BUSY", error.message, { cause: error, details: error.details });
  return marked(busy, "AI_APICallError", {
    url: "llama-hooks:",
    requestBodyValues: {},
    statusCode: 429,
    isRetryable: true,
  });
}

/** True for an error of the engine, which may come from another copy of the package. */
export function isOwn(error: unknown): error is LlamaHooksError {
  return error instanceof Error && error.name === "LlamaHooksError";
}
