// Finds the special tokens of a chat template and its replies in their text.

export interface SpecialTokens {
  /** Output as text only where llama.cpp's parser for the template asks for it: turns, channels, markers of calls. */
  readonly control: readonly string[];
  /** Always output as text, but one token each: tags such as `<tool_call>` and `<think>`. */
  readonly tags: readonly string[];
}

/** Markers that only models write; ordinary text does not look like them. */
const piped = /<\|[^<>|\s'"{}]+\|?>|<[^<>|\s'"{}]+\|>|<｜(?:begin|end)▁of▁sentence｜>/g;
const otherControl =
  /\[\/?[A-Z][A-Z_]+\]|<(?:start|end)_of_turn>|<\/?s>|<(?:bos|eos)>|<SPECIAL_\d+>|\]<\][a-z]+\[>\[|\]~!?b[\][]|\[e~\[/g;
/** The markers with wide bars are DeepSeek's; its vocabulary does not count them as control tokens. */
const tag = /<\/?[a-z][a-z0-9_:]*>|<｜[^<>｜\s'"{}]+｜>/g;
/** GigaChat's markers include line ends, and llama.cpp's parser asks for them in that form. */
const withLineEnds = ["<|message_sep|>\n\n", "<|role_sep|>\n"];

/** A template need not contain the markers of calls, so those in `replies` are found as well. */
export function specialTokens(template: string, replies: readonly string[]): SpecialTokens {
  const found = [template.match(piped), template.match(otherControl), ...replies.map((reply) => reply.match(piped))];
  const control = new Set(found.flatMap((marks) => marks ?? []));
  for (const mark of withLineEnds) if (control.has(mark.trimEnd())) control.add(mark);
  const tags = new Set(template.match(tag));
  return { control: [...control], tags: [...tags].filter((text) => !control.has(text)) };
}

/** Splits `text` into special tokens and the text between them. */
export function cutAtSpecialTokens(text: string, tokens: readonly string[]): string[] {
  if (tokens.length === 0) return [text];
  const longestFirst = [...tokens].sort((a, b) => b.length - a.length);
  const any = longestFirst.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${any})`)).filter((piece) => piece !== "");
}
