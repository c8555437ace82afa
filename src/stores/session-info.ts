// Checks what a store returns about a session.
import { isObject, optionalTags } from "../base/check.js";
import type { SessionInfo } from "./session-store.js";

/** Throws, with the reason, unless the fields are those of a stored session. */
export function checkInfo(info: unknown): SessionInfo {
  if (!isObject(info)) throw new Error("it is no object");
  const { id, tags, createdAt, updatedAt, messages, waiting, error } = info;
  if (typeof id !== "string") throw new Error("it lacks its id");
  if (optionalTags(tags, "tags") === undefined) throw new Error("it lacks tags");
  for (const [name, value] of Object.entries({ createdAt, updatedAt, messages }))
    if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`${name} is no number`);
  if (waiting !== undefined && !(Array.isArray(waiting) && waiting.every(isObject)))
    throw new Error("waiting is no list of calls");
  if (error !== undefined && !(error instanceof Error)) throw new Error("error is no error");
  return info as unknown as SessionInfo;
}
