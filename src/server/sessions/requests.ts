// Reads the bodies of requests about sessions. Members that are not known are refused: this protocol has no other
// clients.
import { checkObject, optionalBoolean, optionalName, optionalString, wrong } from "../../base/check.js";

type Body = Readonly<Record<string, unknown>>;

/** Maximum size of a tag in bytes. */
const tagBytes = 512;

/** The body of `POST /sessions`. Errors: `TypeError` with `param`. */
export function openRequestOf(body: Body): { readonly agent: string | undefined; readonly user: string | undefined } {
  const { agent, user } = checkObject(body, "The request", ["agent", "user"]);
  const who = optionalName(user, "user");
  if (who !== undefined && Buffer.byteLength(who) > tagBytes)
    throw wrong("user", `a string of at most ${tagBytes} bytes`, user);
  return { agent: optionalName(agent, "agent"), user: who };
}

/** The body of `POST /sessions/{id}/runs`. Errors: `TypeError` with `param`. */
export function runRequestOf(body: Body): { readonly input: string; readonly streams: boolean } {
  const { input, stream } = checkObject(body, "The request", ["input", "stream"]);
  if (typeof input !== "string") throw wrong("input", "a string, the message of the user", input);
  return { input, streams: optionalBoolean(stream, "stream") ?? true };
}

/** The body of `POST /sessions/{id}/fork`. Errors: `TypeError` with `param`. */
export function forkRequestOf(body: Body): { readonly at: string | undefined } {
  const { at } = checkObject(body, "The request", ["at"]);
  return { at: optionalName(at, "at") };
}

/** The body of `POST /sessions/{id}/cancel`. Errors: `TypeError` with `param`. */
export function cancelRequestOf(body: Body): { readonly reason: string | undefined } {
  const { reason } = checkObject(body, "The request", ["reason"]);
  return { reason: optionalString(reason, "reason") };
}
