// An answer as the events of a streamed response.
import type { GenerateResult } from "../../index.js";
import type { ApiError } from "../http/api-error.js";
import { textLogprobsOf } from "../openai/logprobs.js";
import type { AnswerWriter, CallPiece, Logprobs } from "../protocol/call-stream.js";
import type { Finish } from "../protocol/finish.js";
import { ItemWriter } from "./item-writer.js";
import {
  failureOf,
  type ResponseHead,
  responseObject,
  type ResponseParts,
  responseUsageOf,
  stateOf,
} from "./response-answer.js";

/** Writes the events of one response. */
export class ResponseEvents implements AnswerWriter {
  readonly #head: ResponseHead;
  readonly #writer: ItemWriter;
  #model: string;

  /** `model`: the one that was asked for, until its id is known. */
  constructor(head: ResponseHead, model: string) {
    this.#head = head;
    this.#writer = new ItemWriter(head);
    this.#model = model;
  }

  describe(model: string): void {
    this.#model = model;
  }

  text(kind: "content" | "reasoning", text: string, logprobs: Logprobs): string {
    const shown = textLogprobsOf(logprobs);
    if (text === "" && shown.length === 0) return "";
    return this.#begin() + this.#writer.text(kind === "content" ? "message" : "reasoning", text, shown);
  }

  call({ index, id, name, args }: CallPiece): string {
    return this.#begin() + this.#writer.call(index, { callId: id, name, args });
  }

  end(result: GenerateResult, finish: Finish): string {
    const { refusal } = finish;
    const state = stateOf(finish);
    const begun = this.#begin();
    const why = refusal === null ? "" : this.#writer.refusal(refusal);
    const closed = this.#writer.close(state.status);
    this.#head.ended(this.#writer.items);
    return begun + why + closed + this.#state(state.status, { ...state, usage: responseUsageOf(result) });
  }

  /** The protocol also has an event "error", but Codex shows only the message of this one. */
  failure(error: ApiError): string {
    const begun = this.#begin() + this.#writer.close("incomplete");
    return begun + this.#state("failed", failureOf(error));
  }

  #begin(): string {
    if (this.#writer.hasBegun) return "";
    const state = { status: "in_progress", incomplete_details: null } as const;
    return this.#state("created", state) + this.#state("in_progress", state);
  }

  #state(name: string, parts: Omit<ResponseParts, "model" | "output">): string {
    const response = responseObject(this.#head, { ...parts, model: this.#model, output: this.#writer.items });
    return this.#writer.written(`response.${name}`, { response });
  }
}
