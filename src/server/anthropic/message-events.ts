// An answer as the events of a streamed message: blocks that begin, grow and end one after the other.
import type { GenerateResult } from "../../index.js";
import type { ApiError } from "../http/api-error.js";
import type { AnswerWriter, CallPiece } from "../protocol/call-stream.js";
import type { Finish } from "../protocol/finish.js";
import { endOf, messageErrorOf, messageUsageOf, thinkingBlock } from "./message-answer.js";

/** Writes the events of one message. */
export class MessageEvents implements AnswerWriter {
  readonly #id: string;
  #model: string;
  #promptTokens = 0;
  #begun = false;
  /** The block that grows: its kind, or the index of its call. */
  #open: "content" | "reasoning" | number | undefined;
  #blocks = 0;

  /** `id`: that of the request. `model`: the one that was asked for, until its id is known. */
  constructor(id: string, model: string) {
    this.#id = id;
    this.#model = model;
  }

  describe(model: string, promptTokens: number): void {
    this.#model = model;
    this.#promptTokens = promptTokens;
  }

  text(kind: "content" | "reasoning", text: string): string {
    if (text === "") return "";
    const block = kind === "content" ? { type: "text", text: "" } : thinkingBlock("");
    const delta = kind === "content" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
    return this.#enter(kind, block) + this.#grow(delta);
  }

  call({ index, id, name, args }: CallPiece): string {
    const begun = this.#enter(index, { type: "tool_use", id, name, input: {} });
    return begun + (args === "" ? "" : this.#grow({ type: "input_json_delta", partial_json: args }));
  }

  end(result: GenerateResult, finish: Finish): string {
    const usage = messageUsageOf(result.usage);
    const last = written("message_delta", { delta: endOf(finish, result), usage });
    return this.#begin() + this.#close() + last + written("message_stop", {});
  }

  failure(error: ApiError): string {
    return written("error", messageErrorOf(error, this.#id));
  }

  #begin(): string {
    if (this.#begun) return "";
    this.#begun = true;
    const message = {
      id: `msg_${this.#id}`,
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
    return written("message_start", { message });
  }

  #enter(kind: "content" | "reasoning" | number, block: object): string {
    if (this.#open === kind) return "";
    const before = this.#begin() + this.#close();
    this.#open = kind;
    return before + written("content_block_start", { index: this.#blocks, content_block: block });
  }

  #grow(delta: object): string {
    return written("content_block_delta", { index: this.#blocks, delta });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    return written("content_block_stop", { index: this.#blocks++ });
  }
}

function written(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
