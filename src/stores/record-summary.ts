// Reads the fields that a list shows of a session from its record. Must not: write the record again, because large
// numbers would change.
import { isObject } from "../base/check.js";
import type { WaitingCall } from "../generated/results.js";
import type { SessionInfo } from "./session-store.js";

/** The number of messages, and the calls that wait. Throws, with the reason, if the text is not a saved session. */
export function summaryOf(record: string): Pick<SessionInfo, "messages" | "waiting"> {
  const saved: unknown = JSON.parse(record);
  const conversation = isObject(saved) && saved["format"] === "llama-hooks session" ? saved["conversation"] : undefined;
  if (!isObject(saved) || !isObject(conversation)) throw new Error("it is no saved session");
  const messages = conversation["everything"] ?? conversation["messages"];
  if (!Array.isArray(messages)) throw new Error("it has no list of messages");
  const waiting = waitingIn(saved["waiting"]);
  return { messages: messages.length, ...(waiting.length > 0 && { waiting }) };
}

function waitingIn(run: unknown): readonly WaitingCall[] {
  if (!isObject(run) || !Array.isArray(run["calls"])) return [];
  const tier = textOrNull(run["tier"]);
  return run["calls"].filter(isObject).flatMap((call): WaitingCall[] => {
    if (call["state"] !== "deferred") return [];
    return [
      {
        id: String(call["id"]),
        name: String(call["name"]),
        args: isObject(call["args"]) ? call["args"] : {},
        tier,
        deferredBy: textOrNull(call["deferred_by"]) ?? "",
        waitsFor: textOrNull(call["waits_for"]),
        reason: textOrNull(call["reason"]),
      },
    ];
  });
}

/** The engine does not write empty texts. */
function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
