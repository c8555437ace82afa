// The special tokens that a chat template and replies for it are written with, found in their text.
// Must not: know what they mean; the marks that templates use look alike.

export interface SpecialTokens {
  /** Written as text only where llama.cpp's parser for the template asks for it: turns, channels, marks of calls. */
  readonly control: readonly string[];
  /** Always written as text, and yet a token each: tags such as `<tool_call>` and `<think>`. */
  readonly tags: readonly string[];
}

/** Marks that only models write; of text that people write nothing looks like them. */
const piped = /<\|[^<>|\s'"{}]+\|?>|<[^<>|\s'"{}]+\|>|<｜(?:begin|end)▁of▁sentence｜>/g;
const otherControl =
  /\[\/?[A-Z][A-Z_]+\]|<(?:start|end)_of_turn>|<\/?s>|<(?:bos|eos)>|<SPECIAL_\d+>|\]<\][a-z]+\[>\[|\]~!?b[\][]|\[e~\[/g;
/** Those with wide bars are DeepSeek's, whose vocabulary does not count them as control tokens. */
const tag = /<\/?[a-z][a-z0-9_:]*>|<｜[^<>｜\s'"{}]+｜>/g;
/** GigaChat's vocabulary has the line ends in its marks, and llama.cpp's parser asks for them so. */
const withLineEnds = ["<|message_sep|>\n\n", "<|role_sep|>\n"];

/** A template may leave it to the model to know the marks of calls: those of `replies` are found as well. */
export function specialTokens(template: string, replies: readonly string[]): SpecialTokens {
  const found = [template.match(piped), template.match(otherControl), ...replies.map((reply) => reply.match(piped))];
  const control = new Set(found.flatMap((marks) => marks ?? []));
  for (const mark of withLineEnds) if (control.has(mark.trimEnd())) control.add(mark);
  const tags = new Set(template.match(tag));
  return { control: [...control], tags: [...tags].filter((text) => !control.has(text)) };
}

/** `text` cut into special tokens and what stands between them. */
export function cutAtSpecialTokens(text: string, tokens: readonly string[]): string[] {
  if (tokens.length === 0) return [text];
  const longestFirst = [...tokens].sort((a, b) => b.length - a.length);
  const any = longestFirst.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${any})`)).filter((piece) => piece !== "");
}
