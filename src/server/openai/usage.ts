// The cost of a call in OpenAI's form.
import type { GenerateResult } from "../../index.js";

/** The cost of a chat completion. */
export function usageOf({ usage }: Pick<GenerateResult, "usage">): object {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** The cost of embeddings and rankings, which write nothing. */
export function readUsageOf(tokens: number): object {
  return { prompt_tokens: tokens, total_tokens: tokens };
}
