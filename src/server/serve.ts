// A server on node:http.
import type { Engine } from "../index.js";
import { Answering } from "./answering.js";
import { checkEngine } from "./handler.js";
import { startListening } from "./http/listen.js";
import { checkGrace, checkServeOptions, type ServeOptions } from "./options.js";

/** A server that listens. */
export interface HttpServer extends AsyncDisposable {
  /** The base URL for clients of OpenAI: `http://127.0.0.1:8080/v1`. */
  readonly url: string;
  /**
   * The same without `/v1`: the base URL for clients of Anthropic, and the root of `/health`, `/metrics` and
   * `/sessions`.
   */
  readonly origin: string;
  /** The address that it listens at. */
  readonly host: string;
  /** The port that it listens at. */
  readonly port: number;
  /**
   * Stops listening. Requests under way may end within the grace [0 ms], and are cancelled then. Resolves when all
   * connections are closed, which takes a few seconds more if a hook holds a request up. The engine stays open. A
   * second call returns the same promise.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves an engine's models over the OpenAI-compatible protocol, at 127.0.0.1:8080 by default. An address other than
 * loopback needs `keys`. The server has no TLS: put a proxy in front of it on a network that others can read.
 * Misuse throws `TypeError`. Rejects with the error of the system if it cannot listen.
 *
 * @example
 * ```ts
 * const server = await serve(engine, {
 *   port: 8080,
 *   aliases: { "gpt-4o": "default" },
 *   keys: [{ name: "ann", key: process.env["ANN_KEY"] ?? "", tokensPerMinute: 20_000 }],
 * });
 * console.log(server.url); // http://127.0.0.1:8080/v1
 * process.once("SIGTERM", () => void server.close(30_000).then(() => engine.close()));
 * ```
 */
export async function serve(engine: Engine, options?: ServeOptions): Promise<HttpServer> {
  const checked = checkServeOptions(options);
  const answering = new Answering(checkEngine(engine, checked, "serve()"), checked);
  const listener = await startListening(checked, (exchange) => answering.answer(exchange));
  const { origin, host, port } = listener;
  let closing: Promise<void> | undefined;
  const close = (graceMs = 0): Promise<void> => (closing ??= end(checkGrace(graceMs)));
  const end = (graceMs: number): Promise<void> => listener.close(() => answering.close(graceMs));
  return { url: `${origin}/v1`, origin, host, port, close, [Symbol.asyncDispose]: () => close() };
}
