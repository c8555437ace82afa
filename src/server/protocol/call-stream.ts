// Reduces the events of a call to the few that every protocol writes. A streamed answer can be extended, never changed:
// if a hook or the parser retracts text that was sent, the stream ends with an error.
import type { GenerateEvent, GenerateResult } from "../../index.js";
import { ApiError } from "../http/api-error.js";
import type { EventTexts } from "../http/event-stream.js";
import { apiErrorOf } from "../http/failure.js";
import { type Finish, finishOf } from "./finish.js";
import { type Message, SentMessage } from "./sent-message.js";

/** Log probabilities of tokens. */
export type Logprobs = GenerateResult["logprobs"];

/** A piece of a tool call. */
export interface CallPiece {
  /** Place among the calls of the answer. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** A piece of the JSON of its arguments. */
  readonly args: string;
  /** True for the first piece of this call. */
  readonly isFirst: boolean;
}

/** Writes an answer in the form of a protocol. Each method returns the text for its arguments. */
export interface AnswerWriter {
  /** Sets the facts about the call that are known before anything is written. Called again when more is known. */
  describe(modelId: string, promptTokens: number): void;
  /** A piece of the answer or of the reasoning; `text` is empty only if there are `logprobs`. */
  text(kind: "content" | "reasoning", text: string, logprobs: Logprobs): string;
  call(piece: CallPiece): string;
  end(result: GenerateResult, finish: Finish): string;
  failure(error: ApiError): string;
}

/** Options for the stream of a call. */
export interface CallStreamOptions {
  /** Id of the request. */
  readonly id: string;
  /** True: nothing is written before the end, and then the result. */
  readonly isHeld: boolean;
  /** Called with an error that ends the stream. */
  onError(error: unknown): void;
}

/** The texts for the events of one call. */
export class CallStream implements EventTexts<GenerateEvent> {
  readonly #writer: AnswerWriter;
  readonly #options: CallStreamOptions;
  readonly #sent = new SentMessage();
  /** Calls that have gone out or are under way. */
  #calls = 0;
  #isContradicted = false;

  constructor(writer: AnswerWriter, options: CallStreamOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  event(event: GenerateEvent): string {
    const { isHeld } = this.#options;
    switch (event.type) {
      case "start":
        this.#writer.describe(event.modelId, event.promptTokens ?? 0);
        return "";
      case "token":
        if (isHeld || event.kind === "tool_call") return "";
        return this.#text(event.kind, event.text, event.kind === "content" ? event.logprobs : undefined);
      case "toolCallDelta":
        return isHeld ? "" : this.#call(event.index, event, event.argsText);
      case "replaced":
        return isHeld ? "" : this.#revise(event);
      case "end":
        return this.#end(event.result);
      default:
        return "";
    }
  }

  failure(error: unknown): string {
    const { id, onError } = this.#options;
    onError(error);
    return this.#writer.failure(apiErrorOf(error, id));
  }

  #end(result: GenerateResult): string {
    this.#writer.describe(result.modelId, result.usage.promptTokens);
    const finish = finishOf(result, this.#options.id);
    const { isHeld } = this.#options;
    if (this.#isContradicted && !(result.finishReason === "length" && this.#sent.isCutOff(result)))
      throw new ApiError(500, "The answer was changed after a part of it had been sent", { code: "answer_changed" });
    const held = isHeld ? this.#whole(finish.refusal === null ? result : { ...result, toolCalls: [] }) : "";
    return held + this.#writer.end(result, finish);
  }

  /** A message from its parts alone. */
  #whole({ text, reasoning, toolCalls, logprobs }: Message & { readonly logprobs?: Logprobs }): string {
    let whole = this.#text("reasoning", reasoning, undefined) + this.#text("content", text, logprobs);
    for (const { id = "", name, args } of toolCalls)
      whole += this.#call(this.#calls, { id, name }, JSON.stringify(args));
    return whole;
  }

  /**
   * Sends the rest of a message that begins like the one that was sent. A message that does not is judged at the end.
   */
  #revise(message: Message): string {
    const missing = this.#sent.missingOf(message);
    this.#isContradicted = missing === undefined;
    return missing === undefined ? "" : this.#whole(missing);
  }

  #text(kind: "content" | "reasoning", text: string, logprobs: Logprobs): string {
    if (text === "" && (logprobs ?? []).length === 0) return "";
    this.#sent.add(kind, text);
    return this.#writer.text(kind, text, logprobs);
  }

  #call(index: number, { id, name }: { readonly id: string; readonly name: string }, args: string): string {
    this.#calls = Math.max(this.#calls, index + 1);
    const isFirst = this.#sent.addCall(index, { id, name }, args);
    return this.#writer.call({ index, id, name, args, isFirst });
  }
}
