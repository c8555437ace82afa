// Ends the requests to which a server gives an invalid response: both a result and an error, neither, or
// `result: null`. The client would drop such a response and wait for another. Must not: end a request that may still
// get its response.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../index.js";

const internalError = -32603;
/** A server answers a request that its client has given up within this time, or not at all. */
const lateMs = 60_000;

/** Work that waits for responses: a call of a tool, a list of tools. */
interface Waiting {
  readonly stop: (reason: LlamaHooksError) => void;
  /** When it ended, on the clock of `performance.now()`. */
  ended?: number;
}

/** The responses of one server. */
export class Replies {
  readonly #origin: string;
  /** The requests without a response, by id, including those that their client has given up. */
  readonly #asked = new Map<string, Waiting>();
  /** The work that a request is sent for, or, over HTTP, that a part of its response is for. */
  readonly #current = new AsyncLocalStorage<Waiting>();
  /** The number of responses to them that the transport dropped. It does not say to which requests. */
  #lost = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Runs work that sends requests. `stop` ends it if one of them got an invalid response. */
  async run<T>(stop: Waiting["stop"], request: () => Promise<T>): Promise<T> {
    const waiting: Waiting = { stop };
    try {
      return await this.#current.run(waiting, request);
    } finally {
      waiting.ended = performance.now();
      this.#forgetOld(waiting.ended);
    }
  }

  /** Watches what the transport of a client sends and receives. Returns the function that stops this. */
  watch({ transport }: Client): () => void {
    if (transport === undefined) return () => undefined;
    const { onmessage, onerror, send } = transport;
    const sends: Transport["send"] = (message, options) => {
      this.#sent(message);
      return send.call(transport, message, options);
    };
    const hears: NonNullable<Transport["onmessage"]> = (message, extra) => {
      onmessage?.(answerable(message), extra);
      this.#answered(message);
    };
    const fails = (error: Error): void => {
      onerror?.(error);
      if (isAboutAnswer(error)) this.#lose();
    };
    Object.assign(transport, { onmessage: hears, onerror: fails, send: sends });
    return () => {
      if (transport.onmessage === hears) Object.assign(transport, { onmessage });
      if (transport.onerror === fails) Object.assign(transport, { onerror });
      if (transport.send === sends) Object.assign(transport, { send });
    };
  }

  #sent(message: JSONRPCMessage): void {
    const { id, method } = message as Readonly<Record<string, unknown>>;
    if (method === undefined || !isId(id)) return;
    // A request of the program itself, whose end is not visible here.
    const others = (): Waiting => ({ stop: () => undefined, ended: performance.now() });
    this.#asked.set(String(id), this.#current.getStore() ?? others());
  }

  #answered(message: JSONRPCMessage): void {
    const { id, method } = message as Readonly<Record<string, unknown>>;
    if (method === undefined && isId(id) && this.#asked.delete(String(id))) this.#endLost();
  }

  #lose(): void {
    const own = this.#current.getStore();
    if (own === undefined) this.#lost++;
    else this.#stop([own]);
    this.#endLost();
  }

  /** Ends all open requests once as many responses are lost as requests are open. */
  #endLost(): void {
    if (this.#lost === 0) return;
    this.#forgetOld(performance.now());
    if (this.#lost < this.#asked.size) return;
    this.#lost = 0;
    this.#stop(this.#asked.values());
  }

  #stop(waiting: Iterable<Waiting>): void {
    const all = new Set(waiting);
    for (const [id, one] of this.#asked) if (all.has(one)) this.#asked.delete(id);
    const message = `the MCP server ${this.#origin} gave an answer that is none: it must have either a result, which is an object, or an error`;
    for (const { ended, stop } of all) if (ended === undefined) stop(new LlamaHooksError("MCP_FAILED", message));
  }

  /** An answer that was lost may have been for one that is forgotten. */
  #forgetOld(now: number): void {
    for (const [id, { ended = now }] of this.#asked)
      if (now - ended > lateMs) {
        this.#asked.delete(id);
        this.#lost = Math.max(0, this.#lost - 1);
      }
  }
}

const isId = (id: unknown): boolean => typeof id === "number" || typeof id === "string";

/** Returns the message, or an error in its place if it is an invalid response to a request. */
function answerable(message: JSONRPCMessage): JSONRPCMessage {
  const { id, method, result, error } = message as Readonly<Record<string, unknown>>;
  if (method !== undefined || !isId(id)) return message;
  const isError =
    isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string" && result === undefined;
  if (isError || (isObject(result) && !Array.isArray(result) && error === undefined)) return message;
  const why = "its answer is none: it must have either a result, which is an object, or an error";
  return { jsonrpc: "2.0", id: id as number | string, error: { code: internalError, message: why } };
}

/** True if the client's schema refused a message that answers a request: only its result and its error are wrong. */
function isAboutAnswer(error: unknown): boolean {
  const issues = issuesIn((error as { readonly issues?: unknown } | undefined)?.issues);
  const keys = issues.flatMap((issue) => (Array.isArray(issue["keys"]) ? (issue["keys"] as unknown[]) : []));
  const places = issues.map(({ path }) => (Array.isArray(path) ? (path[0] as unknown) : undefined));
  if (keys.includes("method") || places.includes("jsonrpc") || places.includes("id")) return false;
  return [...keys, ...places].some((name) => name === "result" || name === "error");
}

function issuesIn(issues: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(issues)) return [];
  return issues
    .filter(isObject)
    .flatMap((issue) => [issue, ...(Array.isArray(issue["errors"]) ? issue["errors"].flatMap(issuesIn) : [])]);
}
