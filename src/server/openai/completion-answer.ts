// A result as a completion, whole or in chunks, and as llama-server gives the text of a gap.
import type { GenerateResult } from "../../index.js";
import type { ApiError } from "../http/api-error.js";
import { sse } from "../http/event-stream.js";
import type { AnswerWriter, Logprobs } from "../protocol/call-stream.js";
import { type Finish, finishOf } from "../protocol/finish.js";
import type { ChunkOptions } from "./chat-chunks.js";
import type { AnswerHead } from "./chat-answer.js";
import { usageOf } from "./usage.js";

function logprobsOf(entries: Logprobs): object | null {
  if (entries === undefined || entries.length === 0) return null;
  return {
    tokens: entries.map(({ text }) => text),
    token_logprobs: entries.map(({ logprob }) => logprob),
    top_logprobs: entries.map(({ topLogprobs = [] }) =>
      Object.fromEntries(topLogprobs.map(({ text, logprob }) => [text, logprob])),
    ),
  };
}

/** The whole answer. Errors: those of `finishOf()`. */
export function completionOf(result: GenerateResult, { id, created }: AnswerHead): object {
  const { reason } = finishOf(result, id);
  const { text } = result;
  return {
    id: `cmpl-${id}`,
    object: "text_completion",
    created,
    model: result.modelId,
    choices: [{ index: 0, text, logprobs: logprobsOf(result.logprobs), finish_reason: reason }],
    usage: usageOf(result),
    content: text, // where clients of llama-server look for the text of a gap
    stop: true,
  };
}

/** Writes the chunks of one answer. */
export class CompletionChunks implements AnswerWriter {
  readonly #options: ChunkOptions;
  #model: string;

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  describe(model: string): void {
    this.#model = model;
  }

  text(kind: "content" | "reasoning", text: string, logprobs: Logprobs): string {
    return kind === "content" ? this.#chunk(text, null, { logprobs: logprobsOf(logprobs) }) : "";
  }

  /** A continuation has no tools. */
  call(): string {
    return "";
  }

  end(result: GenerateResult, { reason }: Finish): string {
    const usage = this.#options.includesUsage ? { usage: usageOf(result) } : {};
    return this.#chunk("", reason, {}, usage) + sse("[DONE]");
  }

  failure(error: ApiError): string {
    return `event: error\n${sse(JSON.stringify(error.envelope))}`;
  }

  #chunk(text: string, reason: string | null, more: object, beside: object = {}): string {
    const { id, created } = this.#options;
    const choices = [{ index: 0, text, logprobs: null, ...more, finish_reason: reason }];
    const head = { id: `cmpl-${id}`, object: "text_completion", created, model: this.#model };
    return sse(JSON.stringify({ ...head, choices, ...beside, content: text, stop: reason !== null }));
  }
}
