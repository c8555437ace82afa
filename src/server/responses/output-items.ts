// The items of an answer: reasoning, a message, calls.
import type { GenerateResult } from "../../index.js";
import { textLogprobsOf } from "../openai/logprobs.js";
import type { ToolNames } from "./tools.js";

/** The progress of an item or a response. */
export type Progress = "in_progress" | "completed" | "incomplete";

/** Id of an item, which is the same in all events of a stream. `index`: its place in the output. */
export function itemIdOf(type: "rs" | "msg" | "fc", requestId: string, index: number): string {
  return `${type}_${requestId}_${index}`;
}

export function textPart(text: string, logprobs: readonly object[] = []): object {
  return { type: "output_text", text, annotations: [], logprobs };
}

/** The place of reasoning in a response: its content; "summary": its summary, which is all that some clients read. */
export type ReasoningForm = "reasoning" | "summary";

export function reasoningPart(text: string, _logprobs?: readonly object[]): object {
  return { type: "reasoning_text", text };
}

export function summaryPart(text: string, _logprobs?: readonly object[]): object {
  return { type: "summary_text", text };
}

export function refusalPart(refusal: string): object {
  return { type: "refusal", refusal };
}

export function reasoningItem(id: string, parts: readonly object[], status: Progress, form: ReasoningForm): object {
  const texts = form === "summary" ? { summary: parts } : { summary: [], content: parts };
  return { id, type: "reasoning", ...texts, status };
}

export function messageItem(id: string, content: readonly object[], status: Progress): object {
  return { id, type: "message", role: "assistant", content, status };
}

/** A call as it is so far; `args`: the JSON of its arguments. */
export interface CallSoFar {
  readonly callId: string;
  /** Name of the tool, as the model knows it. */
  readonly name: string;
  readonly args: string;
}

export function callItem(id: string, { callId, name, args }: CallSoFar, status: Progress, names: ToolNames): object {
  return { id, type: "function_call", call_id: callId, ...(names.get(name) ?? { name }), arguments: args, status };
}

/** The items of a whole answer. A refusal ends the message, and takes the place of its calls. */
export function outputOf(
  { text, reasoning, toolCalls, logprobs }: Pick<GenerateResult, "text" | "reasoning" | "toolCalls" | "logprobs">,
  { id, names, form }: { readonly id: string; readonly names: ToolNames; readonly form: ReasoningForm },
  { refusal, status }: { readonly refusal: string | null; readonly status: Progress },
): readonly object[] {
  const parts = [
    ...(text === "" ? [] : [textPart(text, textLogprobsOf(logprobs))]),
    ...(refusal === null ? [] : [refusalPart(refusal)]),
  ];
  const items: ((index: number, status: Progress) => object)[] = [];
  if (reasoning !== "") {
    const part = form === "summary" ? summaryPart(reasoning) : reasoningPart(reasoning);
    items.push((index, progress) => reasoningItem(itemIdOf("rs", id, index), [part], progress, form));
  }
  if (parts.length > 0) items.push((index, progress) => messageItem(itemIdOf("msg", id, index), parts, progress));
  for (const { id: callId = "", name, args } of refusal === null ? toolCalls : []) {
    const call = { callId, name, args: JSON.stringify(args) };
    items.push((index, progress) => callItem(itemIdOf("fc", id, index), call, progress, names));
  }
  // An answer that is cut off is cut off in its last item.
  return items.map((make, index) => make(index, index === items.length - 1 ? status : "completed"));
}
