// Reduces the options of a request to those that its model supports. A remote model may not support options that
// clients send as hints: they are left out, and the response names them.
import { toSnake } from "../../base/wire.js";
import type { Engine, GenerateOptions } from "../../index.js";
import type { CallRequest } from "../protocol/call-request.js";

/** Options for a model, and the members of the request that have no effect on it. */
export interface Fitted {
  readonly options: GenerateOptions;
  readonly left: readonly string[];
}

/** `model`: its id; undefined: the only one. */
export function fittedTo(engine: Engine, model: string | undefined, request: CallRequest): Fitted {
  const { options, wishes, unasked = {} } = request;
  const provided = engine.models.providedBy(model);
  if (provided === undefined) return { options: { ...unasked, ...options }, left: [] };
  const left = Object.entries(wishes).filter(
    ([option]) => options[option as keyof typeof wishes] !== undefined && !provided.follows(toSnake(option)),
  );
  const kept = Object.entries(options).filter(([option]) => !left.some(([name]) => name === option));
  return { options: Object.fromEntries(kept), left: [...new Set(left.map(([, member]) => member))] };
}

/**
 * Runs `call` with fitted options, and again if the provider has reported meanwhile that it leaves out more of them.
 */
export async function withFitted<T>(
  engine: Engine,
  model: string | undefined,
  request: CallRequest,
  call: (fitted: Fitted) => Promise<T>,
): Promise<T> {
  for (let fitted = fittedTo(engine, model, request); ;) {
    try {
      return await call(fitted);
    } catch (error) {
      const { code } = (error ?? {}) as { readonly code?: unknown };
      const next = fittedTo(engine, model, request);
      if (code !== "UNSUPPORTED_BY_MODEL" || next.left.length === fitted.left.length) throw error;
      fitted = next;
    }
  }
}
