// The events of a call as those of a streamed response.
import type { GenerateEvent, GenerateResult } from "../../index.js";
import { ApiError } from "../http/api-error.js";
import type { EventTexts } from "../http/event-stream.js";
import { apiErrorOf } from "../http/failure.js";
import { finishOf } from "../protocol/finish.js";
import { type Message, SentMessage } from "../protocol/sent-message.js";
import { ItemWriter, type TextKind } from "./item-writer.js";
import {
  failureOf,
  type ResponseHead,
  responseObject,
  type ResponseParts,
  responseUsageOf,
  stateOf,
} from "./response-answer.js";

/** How the stream of a call is written. */
export interface ResponseEventOptions extends ResponseHead {
  /** The model that was asked for, until the events name it. */
  readonly model: string;
  /** True: nothing is written before the end, and then the result. */
  readonly isHeld: boolean;
  /** Called with an error that ends the stream. */
  onError(error: unknown): void;
}

/** Writes the events of one response. */
export class ResponseEvents implements EventTexts<GenerateEvent> {
  readonly #options: ResponseEventOptions;
  readonly #writer: ItemWriter;
  #model: string;
  readonly #sent = new SentMessage();
  /** Calls that have gone out or are under way. */
  #calls = 0;

  constructor(options: ResponseEventOptions) {
    this.#options = options;
    this.#writer = new ItemWriter(options);
    this.#model = options.model;
  }

  event(event: GenerateEvent): string {
    const { isHeld } = this.#options;
    switch (event.type) {
      case "start":
        this.#model = event.modelId;
        return "";
      case "token":
        if (isHeld || event.kind === "tool_call") return "";
        return this.#text(event.kind === "content" ? "message" : "reasoning", event.text);
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

  /** The protocol also has an event "error", but Codex shows only the message of this one. */
  failure(error: unknown): string {
    const { id, onError } = this.#options;
    onError(error);
    const begun = this.#begin() + this.#writer.close("incomplete");
    return begun + this.#state("failed", failureOf(apiErrorOf(error, id)));
  }

  #end(result: GenerateResult): string {
    this.#model = result.modelId;
    const finish = finishOf(result, this.#options.id);
    const { refusal } = finish;
    const state = stateOf(finish);
    const begun = this.#begin();
    const held = this.#options.isHeld ? this.#whole(refusal === null ? result : { ...result, toolCalls: [] }) : "";
    const why = refusal === null ? "" : this.#writer.refusal(refusal);
    const closed = this.#writer.close(state.status);
    return begun + held + why + closed + this.#state(state.status, { ...state, usage: responseUsageOf(result) });
  }

  /** A message from its parts alone. */
  #whole({ text, reasoning, toolCalls }: Message): string {
    let whole = this.#text("reasoning", reasoning) + this.#text("message", text);
    for (const { id = "", name, args } of toolCalls) whole += this.#call(this.#calls, id, name, JSON.stringify(args));
    return whole;
  }

  /** Items for what is missing of a message that begins as the one that has gone out. */
  #rest(message: Message): string {
    const missing = this.#sent.missingOf(message);
    if (missing !== undefined) return this.#whole(missing);
    throw new ApiError(500, "The answer was changed after a part of it had been sent", { code: "answer_changed" });
  }

  #text(kind: TextKind, text: string): string {
    if (text === "") return "";
    this.#sent.add(kind === "message" ? "content" : "reasoning", text);
    return this.#begin() + this.#writer.text(kind, text);
  }

  #call(index: number, id: string, name: string, args: string): string {
    this.#sent.addCall(index, { id, name }, args);
    this.#calls = Math.max(this.#calls, index + 1);
    return this.#begin() + this.#writer.call(index, { callId: id, name, args });
  }

  #begin(): string {
    if (this.#writer.hasBegun) return "";
    const state = { status: "in_progress", incomplete_details: null } as const;
    return this.#state("created", state) + this.#state("in_progress", state);
  }

  #state(name: string, parts: Omit<ResponseParts, "model" | "output">): string {
    const response = responseObject(this.#options, { ...parts, model: this.#model, output: this.#writer.items });
    return this.#writer.written(`response.${name}`, { response });
  }
}
