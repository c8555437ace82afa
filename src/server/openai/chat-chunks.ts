// The events of a call as the chunks of a streamed chat completion. A streamed answer can be added to, never changed: if
// a hook, or the parser, takes back what has gone out, the stream ends with an error.
import type { GenerateEvent, GenerateResult } from "../../index.js";
import { ApiError } from "../http/api-error.js";
import { type EventTexts, sse } from "../http/event-stream.js";
import { apiErrorOf } from "../http/failure.js";
import { finishOf } from "../protocol/finish.js";
import type { AnswerHead } from "./chat-answer.js";
import { logprobsOf } from "./logprobs.js";
import { type Message, SentMessage } from "../protocol/sent-message.js";
import { usageOf } from "./usage.js";

/** How the stream of a call is written. */
export interface ChunkOptions extends AnswerHead {
  /** The model that was asked for, until the events name it. */
  readonly model: string;
  readonly includesUsage: boolean;
  /** True: nothing is written before the end, and then the result. */
  readonly isHeld: boolean;
  /** Called with an error that ends the stream. */
  onError(error: unknown): void;
}

/** Writes the chunks of one call. */
export class ChatChunks implements EventTexts<GenerateEvent> {
  readonly #options: ChunkOptions;
  /** The JSON that every chunk begins with. */
  #head = "";
  #begun = false;
  readonly #sent = new SentMessage();
  /** Calls that have gone out or are under way. */
  #calls = 0;

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.#nameModel(options.model);
  }

  event(event: GenerateEvent): string {
    switch (event.type) {
      case "start":
        this.#nameModel(event.modelId);
        return "";
      case "token":
        if (this.#options.isHeld || event.kind === "tool_call") return "";
        return this.#text(event.kind, event.text, logprobsOf(event.kind === "content" ? event.logprobs : undefined));
      case "toolCallDelta":
        return this.#options.isHeld ? "" : this.#call(event.index, event.argsText, event);
      case "replaced":
        return this.#options.isHeld ? "" : this.#rest(event);
      case "end":
        return this.#end(event.result);
      default:
        return "";
    }
  }

  failure(error: unknown): string {
    this.#options.onError(error);
    return `event: error\n${sse(JSON.stringify(apiErrorOf(error, this.#options.id).envelope))}`;
  }

  #end(result: GenerateResult): string {
    this.#nameModel(result.modelId);
    const { reason, refusal } = finishOf(result, this.#options.id);
    const held = this.#options.isHeld ? this.#whole(refusal === null ? result : { ...result, toolCalls: [] }) : "";
    const why = refusal === null ? "" : this.#chunk({ refusal });
    const last = this.#opening() + held + why + this.#chunk({}, reason);
    const usage = this.#options.includesUsage
      ? sse(`${this.#head}"choices":[],"usage":${JSON.stringify(usageOf(result))}}`)
      : "";
    return `${last}${usage}${sse("[DONE]")}`;
  }

  /** A message from its parts alone. */
  #whole({ text, reasoning, toolCalls, logprobs }: Message & Pick<GenerateResult, "logprobs">): string {
    let whole = this.#text("reasoning", reasoning, null) + this.#text("content", text, logprobsOf(logprobs));
    for (const { id = "", name, args } of toolCalls)
      whole += this.#call(this.#calls, JSON.stringify(args), { id, name });
    return whole;
  }

  /** What is missing of a message that begins as the one that has gone out. */
  #rest(message: Message): string {
    const missing = this.#sent.missingOf(message);
    if (missing !== undefined) return this.#whole(missing);
    throw new ApiError(500, "The answer was changed after a part of it had been sent", { code: "answer_changed" });
  }

  #text(kind: "content" | "reasoning", text: string, logprobs: object | null): string {
    if (text === "" && logprobs === null) return "";
    this.#sent.add(kind, text);
    const member = kind === "content" ? "content" : "reasoning_content";
    return this.#opening() + this.#chunk({ [member]: text }, null, logprobs);
  }

  /** Id and name go out with the first piece of a call only: clients would join them like the pieces. */
  #call(index: number, args: string, named: { readonly id: string; readonly name: string }): string {
    const isFirst = this.#sent.addCall(index, named, args);
    this.#calls = Math.max(this.#calls, index + 1);
    const call = isFirst
      ? { index, id: named.id, type: "function", function: { name: named.name, arguments: args } }
      : { index, function: { arguments: args } };
    return this.#opening() + this.#chunk({ tool_calls: [call] });
  }

  #opening(): string {
    if (this.#begun) return "";
    this.#begun = true;
    return this.#chunk({ role: "assistant", content: "" });
  }

  /** Only the delta and the log probabilities differ from token to token, so only they are made into JSON. */
  #chunk(delta: object, reason: string | null = null, logprobs: object | null = null): string {
    const choice = `{"index":0,"delta":${JSON.stringify(delta)},"logprobs":${JSON.stringify(logprobs)},"finish_reason":${JSON.stringify(reason)}}`;
    return sse(`${this.#head}"choices":[${choice}]${this.#options.includesUsage ? ',"usage":null' : ""}}`);
  }

  #nameModel(model: string): void {
    const { id, created } = this.#options;
    const head = JSON.stringify({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", created, model });
    this.#head = `${head.slice(0, -1)},`;
  }
}
