// A server as a function of the Fetch API.
import { optionError, wrong } from "../base/check.js";
import type { Engine } from "../index.js";
import { Answering } from "./answering.js";
import { exchangeOf, responseOf } from "./http/fetch-adapter.js";
import { type CheckedOptions, checkGrace, checkHandlerOptions, type HandlerOptions } from "./options.js";

/** A handler of requests, as Hono, Next.js and Bun take it. */
export interface Handler {
  /** Answers a request. Never rejects. */
  (request: Request): Promise<Response>;
  /**
   * Refuses new requests with 503. Those under way may end within the grace [0 ms], and are cancelled then. Resolves
   * when all have ended, or two seconds after the cancel if a hook holds one up. The engine stays open.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Makes a handler that serves an engine's models over the OpenAI-compatible protocol. It answers the paths `/v1/...`,
 * `/health` and `/metrics`; a framework that mounts it at another path must strip that prefix.
 * Misuse throws `TypeError`.
 *
 * @example
 * ```ts
 * const handler = createHandler(engine, { checkHost: false }); // the application checks who calls
 * export const POST = handler;
 * export const GET = handler;
 * ```
 */
export function createHandler(engine: Engine, options?: HandlerOptions): Handler {
  const checked = checkHandlerOptions(options);
  const answering = new Answering(checkEngine(engine, checked, "createHandler()"), checked);
  const handle = async (request: Request): Promise<Response> => {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    if (request.signal.aborted) leave();
    request.signal.addEventListener("abort", leave, { once: true });
    const answer = await answering.answer(exchangeOf(request, gone.signal));
    return responseOf(answer, checked.drainTimeoutMs, gone.signal);
  };
  return Object.assign(handle, { close: (graceMs = 0) => answering.close(checkGrace(graceMs)) });
}

/** Checks the first argument, also against the options. Errors: `TypeError`. */
export function checkEngine(value: unknown, { sessions }: Pick<CheckedOptions, "sessions">, what: string): Engine {
  if (typeof (value as Partial<Engine> | null | undefined)?.generate !== "function")
    throw wrong(`The engine of ${what}`, "an engine of createEngine()", value);
  const engine = value as Engine;
  const stored = `${what} options.sessions.stored`;
  if (sessions?.stored === true && !engine.sessions.hasStore)
    throw optionError(stored, `${stored} needs an engine with a store: createEngine({ sessionStore })`);
  return engine;
}
