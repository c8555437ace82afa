// The events of a call as those of a streamed message: blocks that begin, grow and end one after the other.
import type { GenerateEvent, GenerateResult } from "../../index.js";
import { ApiError } from "../http/api-error.js";
import type { EventTexts } from "../http/event-stream.js";
import { apiErrorOf } from "../http/failure.js";
import { finishOf } from "../protocol/finish.js";
import { type Message, SentMessage } from "../protocol/sent-message.js";
import { endOf, messageErrorOf, messageUsageOf, thinkingBlock } from "./message-answer.js";

/** How the stream of a call is written. */
export interface MessageEventOptions {
  /** Id of the request. */
  readonly id: string;
  /** The model that was asked for, until the events name it. */
  readonly model: string;
  /** True: nothing is written before the end, and then the result. */
  readonly isHeld: boolean;
  /** Called with an error that ends the stream. */
  onError(error: unknown): void;
}

/** Writes the events of one message. */
export class MessageEvents implements EventTexts<GenerateEvent> {
  readonly #options: MessageEventOptions;
  #model: string;
  #promptTokens = 0;
  #begun = false;
  /** The block that grows: its kind, or the index of its call. */
  #open: "text" | "thinking" | number | undefined;
  #blocks = 0;
  readonly #sent = new SentMessage();
  /** Calls that have gone out or are under way. */
  #calls = 0;

  constructor(options: MessageEventOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  event(event: GenerateEvent): string {
    const { isHeld } = this.#options;
    switch (event.type) {
      case "start":
        this.#model = event.modelId;
        this.#promptTokens = event.promptTokens ?? 0;
        return "";
      case "token":
        if (isHeld || event.kind === "tool_call") return "";
        return event.kind === "content" ? this.#text(event.text) : this.#thinking(event.text);
      case "toolCallDelta":
        return isHeld ? "" : this.#call(event.index, event.id, event.name, event.argsText);
      case "replaced":
        return isHeld ? "" : this.#rest(event);
      case "end":
        return this.#end(event.result);
      default:
        return "";
    }
  }

  failure(error: unknown): string {
    this.#options.onError(error);
    return written("error", messageErrorOf(apiErrorOf(error, this.#options.id), this.#options.id));
  }

  #end(result: GenerateResult): string {
    this.#model = result.modelId;
    const finish = finishOf(result, this.#options.id);
    const held = this.#options.isHeld
      ? this.#whole(finish.refusal === null ? result : { ...result, toolCalls: [] })
      : "";
    const usage = messageUsageOf(result.usage);
    const last = written("message_delta", { type: "message_delta", delta: endOf(finish, result), usage });
    return this.#begin() + held + this.#close() + last + written("message_stop", { type: "message_stop" });
  }

  /** A message from its parts alone. */
  #whole({ text, reasoning, toolCalls }: Message): string {
    let whole = this.#thinking(reasoning) + this.#text(text);
    for (const { id = "", name, args } of toolCalls) whole += this.#call(this.#calls, id, name, JSON.stringify(args));
    return whole;
  }

  /** Blocks for what is missing of a message that begins as the one that has gone out. */
  #rest(message: Message): string {
    const missing = this.#sent.missingOf(message);
    if (missing !== undefined) return this.#whole(missing);
    throw new ApiError(500, "The answer was changed after a part of it had been sent", { code: "answer_changed" });
  }

  #text(text: string): string {
    if (text === "") return "";
    this.#sent.add("content", text);
    return this.#enter("text", { type: "text", text: "" }) + this.#grow({ type: "text_delta", text });
  }

  #thinking(thinking: string): string {
    if (thinking === "") return "";
    this.#sent.add("reasoning", thinking);
    return this.#enter("thinking", thinkingBlock("")) + this.#grow({ type: "thinking_delta", thinking });
  }

  #call(index: number, id: string, name: string, args: string): string {
    this.#sent.addCall(index, { id, name }, args);
    this.#calls = Math.max(this.#calls, index + 1);
    const begun = this.#enter(index, { type: "tool_use", id, name, input: {} });
    return begun + (args === "" ? "" : this.#grow({ type: "input_json_delta", partial_json: args }));
  }

  #begin(): string {
    if (this.#begun) return "";
    this.#begun = true;
    const message = {
      id: `msg_${this.#options.id}`,
      type: "message",
      role: "assistant",
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      // The end of the stream has the whole cost.
      usage: messageUsageOf({ promptTokens: this.#promptTokens, cachedTokens: 0, completionTokens: 0 }),
    };
    return written("message_start", { type: "message_start", message });
  }

  #enter(kind: "text" | "thinking" | number, block: object): string {
    if (this.#open === kind) return "";
    const before = this.#begin() + this.#close();
    this.#open = kind;
    return (
      before +
      written("content_block_start", { type: "content_block_start", index: this.#blocks, content_block: block })
    );
  }

  #grow(delta: object): string {
    return written("content_block_delta", { type: "content_block_delta", index: this.#blocks, delta });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    return written("content_block_stop", { type: "content_block_stop", index: this.#blocks++ });
  }
}

function written(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
