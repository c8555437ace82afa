// Finds out how an answer of a remote model ended.
import { isObject } from "../base/check.js";
import { RemoteFailure } from "./failure.js";
import type { StreamPart } from "./language-model.js";
import { type Believed, believed, countsIn, countsOfChunk } from "./usage.js";

/** The end of an answer. */
export interface End extends Believed {
  readonly finish_reason: "stop" | "length" | "tool_calls";
}

/** The contents of a chunk of the OpenAI protocol that the provider refuses because its usage has another form. */
export interface RefusedChunk {
  readonly content: string;
  readonly reasoning: string;
  readonly finish: string | undefined;
  readonly usage: unknown;
}

const reasons: Readonly<Record<string, End["finish_reason"]>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
};

/** The protocol's words for the ends. */
const unifiedReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

/** Words of servers that did not finish: "abort" of vLLM and SGLang, "insufficient_system_resource" of DeepSeek. */
const badEnds = /abort|cancel|error|fail|resource|timeout/i;

/** `refused`: the part of the answer that the provider did not accept. */
export function endOf(part: StreamPart, refused: RefusedChunk | undefined): End {
  const raw = refused?.finish ?? part.finishReason?.raw;
  const unified = refused?.finish === undefined ? part.finishReason?.unified : unifiedReasons[refused.finish];
  if (unified === "content-filter")
    throw new RemoteFailure("REMOTE_REFUSED", "the content filter of the server ended the answer");
  const reason = reasons[unified ?? "other"];
  if (raw !== undefined && badEnds.test(raw))
    throw new RemoteFailure("REMOTE_FAILED", `the answer ended with "${raw}"`);
  if (reason === undefined && ((unified ?? "other") !== "other" || raw === undefined)) {
    const why = raw === undefined ? "without saying why: it may be incomplete" : `with "${raw}"`;
    throw new RemoteFailure("REMOTE_FAILED", `the answer ended ${why}`);
  }
  const counts = refused?.usage === undefined ? countsIn(part) : countsOfChunk(refused.usage);
  return { finish_reason: reason ?? "stop", ...believed(counts) };
}

/** Undefined: the error is another one. */
export function refusedChunk(error: unknown): RefusedChunk | undefined {
  const chunk = chunkOf(error);
  if (!isObject(chunk) || chunk["usage"] === undefined || !Array.isArray(chunk["choices"])) return undefined;
  const [choice = {}] = chunk["choices"] as unknown[];
  const delta = isObject(choice) ? (choice["delta"] ?? {}) : undefined;
  if (!isObject(choice) || !isObject(delta)) return undefined;
  const calls = delta["tool_calls"] ?? [];
  const [content, reasoning, finish] = [
    delta["content"] ?? "",
    delta["reasoning_content"] ?? delta["reasoning"] ?? "",
    choice["finish_reason"] ?? undefined,
  ];
  if (typeof content !== "string" || typeof reasoning !== "string" || !Array.isArray(calls) || calls.length > 0)
    return undefined;
  if (finish !== undefined && typeof finish !== "string") return undefined;
  return { content, reasoning, finish, usage: chunk["usage"] };
}

/** The value that an error of the AI SDK refused: one of another form, or text that is JSON except for Python's NaN. */
function chunkOf(error: unknown): unknown {
  const { value, text } = (error ?? {}) as { readonly value?: unknown; readonly text?: unknown };
  if (value !== undefined || typeof text !== "string") return value;
  try {
    return JSON.parse(text.replace(/(:\s*)(-?(?:NaN|Infinity))(?=\s*[,}])/g, '$1"$2"'));
  } catch {
    return undefined;
  }
}
