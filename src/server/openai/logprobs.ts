// Log probabilities in the form of a chat completion.
import type { GenerateResult } from "../../index.js";

type TokenLogprob = NonNullable<GenerateResult["logprobs"]>[number];

/** Those of the answer's text. OpenAI's form has no place for those of reasoning and calls. */
export function logprobsOf(entries: readonly TokenLogprob[] | undefined): object | null {
  const content = textLogprobsOf(entries);
  return content.length === 0 ? null : { content, refusal: null };
}

/** The same as a list. */
export function textLogprobsOf(entries: readonly TokenLogprob[] | undefined): readonly object[] {
  return (entries ?? []).filter(({ kind }) => kind === "content").map(oneOf);
}

function oneOf({ text, logprob, bytes, topLogprobs = [] }: TokenLogprob): object {
  const top = topLogprobs.map((other) => ({ token: other.text, logprob: other.logprob, bytes: other.bytes }));
  return { token: text, logprob, bytes, top_logprobs: top };
}
