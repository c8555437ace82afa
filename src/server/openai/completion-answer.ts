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

interface Options extends ChunkOptions {
  /** True: the model only reads the text, and the answer is empty. */
  readonly isRead: boolean;
}

/** Writes the chunks of one answer. */
export class CompletionChunks implements AnswerWriter {
  readonly #options: Options;
  #model: string;

  constructor(options: Options) {
    this.#options = options;
    this.#model = options.model;
  }

  describe(model: string): void {
    this.#model = model;
  }

  text(kind: "content" | "reasoning", text: string, logprobs: Logprobs): string {
    if (kind !== "content" || this.#options.isRead) return "";
    return this.#chunk([{ index: 0, text, logprobs: logprobsOf(logprobs), finish_reason: null }], text);
  }

  /** A continuation has no tools. */
  call(): string {
    return "";
  }

  end(result: GenerateResult, { reason }: Finish): string {
    const last = this.#chunk([{ index: 0, text: "", logprobs: null, finish_reason: reason }], "", { stop: true });
    const usage = this.#options.includesUsage ? this.#chunk([], "", { usage: usageOf(result) }) : "";
    return last + usage + sse("[DONE]");
  }

  failure(error: ApiError): string {
    return `event: error\n${sse(JSON.stringify(error.envelope))}`;
  }

  /** `text` is where clients of llama-server look. */
  #chunk(choices: readonly object[], text: string, more: object = {}): string {
    const { id, created, includesUsage } = this.#options;
    const head = { id: `cmpl-${id}`, object: "text_completion", created, model: this.#model };
    const rest = { content: text, stop: false, ...(includesUsage && { usage: null }), ...more };
    return sse(JSON.stringify({ ...head, choices, ...rest }));
  }
}
