// Ends the requests to which a server gives an invalid response: both a result and an error, neither, or
// `result: null`. The client would drop such a response and wait for another.
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../index.js";

const internalError = -32603;

/** The responses of one server. */
export class Replies {
  readonly #origin: string;
  /** The functions that end the requests under way. */
  readonly #open = new Set<(reason: LlamaHooksError) => void>();
  /** The number of responses to them that the transport dropped. It does not say to which requests. */
  #lost = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Reports that a request has begun. Returns the function that reports its end. */
  begin(stop: (reason: LlamaHooksError) => void): () => void {
    const own = (reason: LlamaHooksError): void => stop(reason);
    this.#open.add(own);
    return () => {
      this.#open.delete(own);
      this.#endLost();
    };
  }

  /** Watches the messages that the transport of a client receives. Returns the function that stops this. */
  watch({ transport }: Client): () => void {
    if (transport === undefined) return () => undefined;
    const { onmessage, onerror } = transport;
    const hears: NonNullable<Transport["onmessage"]> = (message, extra) => onmessage?.(answerable(message), extra);
    const fails = (error: Error): void => {
      onerror?.(error);
      if (isAboutAnswer(error)) this.#lose();
    };
    Object.assign(transport, { onmessage: hears, onerror: fails });
    return () => {
      if (transport.onmessage === hears) Object.assign(transport, { onmessage });
      if (transport.onerror === fails) Object.assign(transport, { onerror });
    };
  }

  #lose(): void {
    this.#lost++;
    this.#endLost();
  }

  /** Ends all open requests once as many responses are lost as requests are open. */
  #endLost(): void {
    if (this.#lost < this.#open.size) return;
    const open = [...this.#open];
    this.#lost = 0;
    const message = `the MCP server ${this.#origin} gave an answer that is none: it must have either a result, which is an object, or an error`;
    for (const stop of open) stop(new LlamaHooksError("MCP_FAILED", message));
  }
}

/** Returns the message, or an error in its place if it is an invalid response to a request. */
function answerable(message: JSONRPCMessage): JSONRPCMessage {
  const { id, method, result, error } = message as Readonly<Record<string, unknown>>;
  if (method !== undefined || (typeof id !== "number" && typeof id !== "string")) return message;
  const isError =
    isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string" && result === undefined;
  if (isError || (isObject(result) && !Array.isArray(result) && error === undefined)) return message;
  const why = "its answer is none: it must have either a result, which is an object, or an error";
  return { jsonrpc: "2.0", id, error: { code: internalError, message: why } };
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
