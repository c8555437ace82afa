// An answer as the chunks of a streamed chat completion.
import type { GenerateResult } from "../../index.js";
import type { ApiError } from "../http/api-error.js";
import { sse } from "../http/event-stream.js";
import type { AnswerWriter, CallPiece, Logprobs } from "../protocol/call-stream.js";
import type { Finish } from "../protocol/finish.js";
import type { AnswerHead } from "./chat-answer.js";
import { logprobsOf } from "./logprobs.js";
import { usageOf } from "./usage.js";

/** Options for the stream of a call. */
export interface ChunkOptions extends AnswerHead {
  /** The model that was asked for, until its id is known. */
  readonly model: string;
  readonly includesUsage: boolean;
}

/** Writes the chunks of one answer. */
export class ChatChunks implements AnswerWriter {
  readonly #options: ChunkOptions;
  /** The JSON that every chunk begins with. */
  #head = "";
  #begun = false;

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.describe(options.model);
  }

  describe(model: string): void {
    const { id, created } = this.#options;
    const head = JSON.stringify({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", created, model });
    this.#head = `${head.slice(0, -1)},`;
  }

  text(kind: "content" | "reasoning", text: string, logprobs: Logprobs): string {
    const shown = logprobsOf(logprobs);
    if (text === "" && shown === null) return "";
    const member = kind === "content" ? "content" : "reasoning_content";
    return this.#opening() + this.#chunk({ [member]: text }, null, shown);
  }

  /** Id and name go out with the first piece of a call only: clients would join them like the pieces. */
  call({ index, id, name, args, isFirst }: CallPiece): string {
    const call = isFirst
      ? { index, id, type: "function", function: { name, arguments: args } }
      : { index, function: { arguments: args } };
    return this.#opening() + this.#chunk({ tool_calls: [call] });
  }

  end(result: GenerateResult, { reason, refusal }: Finish): string {
    const why = refusal === null ? "" : this.#chunk({ refusal });
    const last = this.#opening() + why + this.#chunk({}, reason);
    const usage = this.#options.includesUsage
      ? sse(`${this.#head}"choices":[],"usage":${JSON.stringify(usageOf(result))}}`)
      : "";
    return `${last}${usage}${sse("[DONE]")}`;
  }

  failure(error: ApiError): string {
    return `event: error\n${sse(JSON.stringify(error.envelope))}`;
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
}
