// Writes the items of a streamed response, one after the other, as numbered events.
import {
  callItem,
  type CallSoFar,
  itemIdOf,
  messageItem,
  type Progress,
  reasoningItem,
  reasoningPart,
  refusalPart,
  textPart,
} from "./output-items.js";
import type { ToolNames } from "./tools.js";

/** An item that is made of texts. */
export type TextKind = "reasoning" | "message";

/** The item that grows. */
interface OpenItem {
  /** Its kind; of a call: its index among the calls. */
  readonly kind: TextKind | number;
  readonly id: string;
  readonly call?: Omit<CallSoFar, "args">;
  /** The text of its last part, or the arguments of its call. */
  text: string;
  /** The log probabilities of that text, if they were asked for. */
  logprobs: object[];
  /** Its parts that have ended. */
  readonly parts: object[];
}

/** Names of the events and the part of a text, by the kind of its item; `more`: what an event has beside the text. */
const texts = {
  message: {
    event: "response.output_text",
    part: textPart,
    more: (logprobs: readonly object[]): object => ({ logprobs }),
  },
  reasoning: { event: "response.reasoning_text", part: reasoningPart, more: (): object => ({}) },
} as const;

/** The items of one response. Each method returns the events for what it did. */
export class ItemWriter {
  readonly #id: string;
  readonly #names: ToolNames;
  readonly #items: object[] = [];
  #open: OpenItem | undefined;
  #number = 0;

  /** `id`: that of the request. */
  constructor({ id, names }: { readonly id: string; readonly names: ToolNames }) {
    this.#id = id;
    this.#names = names;
  }

  /** The items that have ended. */
  get items(): readonly object[] {
    return this.#items;
  }

  /** False: no event has been written. */
  get hasBegun(): boolean {
    return this.#number > 0;
  }

  /** A piece of a text. It is empty only if there are `logprobs`. */
  text(kind: TextKind, text: string, logprobs: readonly object[] = []): string {
    const { event, part, more } = texts[kind];
    const [begun, open] = this.#enter(kind);
    const isNew = open.text === "" && open.logprobs.length === 0;
    const added = isNew ? this.#ofPart(open, "response.content_part.added", { part: part("") }) : "";
    open.text += text;
    if (logprobs.length > 0) open.logprobs.push(...logprobs);
    return begun + added + this.#ofPart(open, `${event}.delta`, { delta: text, ...more(logprobs) });
  }

  /** A piece of the arguments of the call with this index among the calls. */
  call(index: number, { callId, name, args }: CallSoFar): string {
    const [begun, open] = this.#enter(index, { callId, name });
    open.text += args;
    return begun + (args === "" ? "" : this.#ofItem(open, "response.function_call_arguments.delta", { delta: args }));
  }

  /** The reason for which the message ends. */
  refusal(refusal: string): string {
    const [begun, open] = this.#enter("message");
    const before = begun + this.#endText(open);
    const part = refusalPart(refusal);
    const events =
      this.#ofPart(open, "response.content_part.added", { part: refusalPart("") }) +
      this.#ofPart(open, "response.refusal.delta", { delta: refusal }) +
      this.#ofPart(open, "response.refusal.done", { refusal }) +
      this.#ofPart(open, "response.content_part.done", { part });
    open.parts.push(part);
    return before + events;
  }

  /** The end of the item that grows, if there is one. */
  close(status: Progress): string {
    const open = this.#open;
    if (open === undefined) return "";
    const end = open.call === undefined ? this.#endText(open) : this.#endCall(open, open.call);
    const item = this.#itemOf(open, status);
    const done = this.#ofOutput("response.output_item.done", item);
    this.#open = undefined;
    this.#items.push(item);
    return end + done;
  }

  /** One event, with its number. */
  written(type: string, members: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#number++, ...members })}\n\n`;
  }

  #enter(kind: OpenItem["kind"], call?: OpenItem["call"]): readonly [string, OpenItem] {
    if (this.#open?.kind === kind) return ["", this.#open];
    const before = this.close("completed");
    const type = kind === "message" ? "msg" : kind === "reasoning" ? "rs" : "fc";
    const id = itemIdOf(type, this.#id, this.#items.length);
    const open = { kind, id, ...(call !== undefined && { call }), text: "", logprobs: [], parts: [] };
    this.#open = open;
    return [before + this.#ofOutput("response.output_item.added", this.#itemOf(open, "in_progress")), open];
  }

  #endText(open: OpenItem): string {
    const { text, logprobs } = open;
    if (text === "" && logprobs.length === 0) return "";
    const { event, part, more } = texts[open.kind as TextKind];
    const done =
      this.#ofPart(open, `${event}.done`, { text, ...more(logprobs) }) +
      this.#ofPart(open, "response.content_part.done", { part: part(text, logprobs) });
    open.text = "";
    open.logprobs = [];
    open.parts.push(part(text, logprobs));
    return done;
  }

  #endCall(open: OpenItem, call: Omit<CallSoFar, "args">): string {
    const { name } = this.#names.get(call.name) ?? call;
    return this.#ofItem(open, "response.function_call_arguments.done", { name, arguments: open.text });
  }

  #itemOf({ kind, id, call, text, parts }: OpenItem, status: Progress): object {
    if (call !== undefined) return callItem(id, { ...call, args: text }, status, this.#names);
    return kind === "message" ? messageItem(id, parts, status) : reasoningItem(id, parts, status);
  }

  #ofPart(open: OpenItem, type: string, members: object): string {
    return this.#ofItem(open, type, { content_index: open.parts.length, ...members });
  }

  #ofItem({ id }: OpenItem, type: string, members: object): string {
    return this.written(type, { item_id: id, output_index: this.#items.length, ...members });
  }

  #ofOutput(type: string, item: object): string {
    return this.written(type, { output_index: this.#items.length, item });
  }
}
