// Writes the items of a streamed response, one after the other, as numbered events.
import {
  callItem,
  type CallSoFar,
  itemIdOf,
  messageItem,
  type Progress,
  reasoningItem,
  type ReasoningForm,
  reasoningPart,
  refusalPart,
  summaryPart,
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

/**
 * Names of the events and of the part of a text, by the form in which it is shown; `place`: the member that has the
 * place of the part; `more`: what an event has beside the text.
 */
const content = { partEvent: "response.content_part", place: "content_index" } as const;
const texts = {
  message: {
    ...content,
    event: "response.output_text",
    part: textPart,
    more: (logprobs: readonly object[]): object => ({ logprobs }),
  },
  reasoning: { ...content, event: "response.reasoning_text", part: reasoningPart, more: (): object => ({}) },
  summary: {
    partEvent: "response.reasoning_summary_part",
    place: "summary_index",
    event: "response.reasoning_summary_text",
    part: summaryPart,
    more: (): object => ({}),
  },
} as const;

type Place = (typeof texts)["message" | "summary"]["place"];

/** The items of one response. Each method returns the events for its changes. */
export class ItemWriter {
  readonly #id: string;
  readonly #names: ToolNames;
  readonly #form: ReasoningForm;
  readonly #items: object[] = [];
  #open: OpenItem | undefined;
  #number = 0;

  /** `id`: that of the request. */
  constructor({ id, names, form }: { readonly id: string; readonly names: ToolNames; readonly form: ReasoningForm }) {
    this.#id = id;
    this.#names = names;
    this.#form = form;
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
    const { event, part, more, partEvent, place } = texts[this.#formOf(kind)];
    const [begun, open] = this.#enter(kind);
    const isNew = open.text === "" && open.logprobs.length === 0;
    const added = isNew ? this.#ofPart(open, `${partEvent}.added`, { part: part("") }, place) : "";
    open.text += text;
    if (logprobs.length > 0) open.logprobs.push(...logprobs);
    return begun + added + this.#ofPart(open, `${event}.delta`, { delta: text, ...more(logprobs) }, place);
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
    const { event, part, more, partEvent, place } = texts[this.#formOf(open.kind as TextKind)];
    const done =
      this.#ofPart(open, `${event}.done`, { text, ...more(logprobs) }, place) +
      this.#ofPart(open, `${partEvent}.done`, { part: part(text, logprobs) }, place);
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
    return kind === "message" ? messageItem(id, parts, status) : reasoningItem(id, parts, status, this.#form);
  }

  #formOf(kind: TextKind): keyof typeof texts {
    return kind === "reasoning" ? this.#form : kind;
  }

  #ofPart(open: OpenItem, type: string, members: object, place: Place = "content_index"): string {
    return this.#ofItem(open, type, { [place]: open.parts.length, ...members });
  }

  #ofItem({ id }: OpenItem, type: string, members: object): string {
    return this.written(type, { item_id: id, output_index: this.#items.length, ...members });
  }

  #ofOutput(type: string, item: object): string {
    return this.written(type, { output_index: this.#items.length, item });
  }
}
