// Texts for tokenizers: words of many scripts, emoji, code, white space and control marks written as text.

/** Blocks of letters, [first, last] code points; each is a script. */
const scripts: [string, number, number][] = [
  ["Latin", 0x61, 0x7a],
  ["Latin capitals", 0x41, 0x5a],
  ["Latin-1", 0xc0, 0xff],
  ["Latin Extended", 0x100, 0x17f],
  ["Vietnamese", 0x1ea0, 0x1ef9],
  ["IPA", 0x250, 0x2af],
  ["Greek", 0x3b1, 0x3c9],
  ["Cyrillic", 0x430, 0x44f],
  ["Armenian", 0x561, 0x586],
  ["Hebrew", 0x5d0, 0x5ea],
  ["Arabic", 0x621, 0x64a],
  ["Syriac", 0x710, 0x72f],
  ["Thaana", 0x780, 0x7a5],
  ["Devanagari", 0x904, 0x939],
  ["Bengali", 0x985, 0x9b9],
  ["Gurmukhi", 0xa05, 0xa39],
  ["Gujarati", 0xa85, 0xab9],
  ["Oriya", 0xb05, 0xb39],
  ["Tamil", 0xb85, 0xbb9],
  ["Telugu", 0xc05, 0xc39],
  ["Kannada", 0xc85, 0xcb9],
  ["Malayalam", 0xd05, 0xd39],
  ["Sinhala", 0xd85, 0xdc6],
  ["Thai", 0xe01, 0xe3a],
  ["Lao", 0xe81, 0xebd],
  ["Tibetan", 0xf40, 0xf6c],
  ["Myanmar", 0x1000, 0x102a],
  ["Georgian", 0x10d0, 0x10f0],
  ["Hangul", 0xac00, 0xd7a3],
  ["Ethiopic", 0x1200, 0x135a],
  ["Cherokee", 0x13a0, 0x13f4],
  ["Khmer", 0x1780, 0x17b3],
  ["Hiragana", 0x3041, 0x3096],
  ["Katakana", 0x30a1, 0x30fa],
  ["Han", 0x4e00, 0x9fa5],
  ["mathematical letters", 0x1d400, 0x1d433],
];
// prettier-ignore
const parts = [
  " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u2003", "\u3000", "\u200b", "\u200d",
  "0", "7", "42", "2026", "3.14", "1,000,000", "٣٤", "½", "²",
  ".", ",", "!?", "...", "—", "“”", "don't", "I'll", "we've", "it'S", "'", '"', "()", "[]{}", "://", "@", "#", "&&",
  "😀", "👩‍👩‍👧", "🇳🇴", "👋🏽", "❤️", "e\u0301", "ﬁ",
  "for (let i = 0; i < n; i++) {", "  return x;", "def f(a, b):", "<div class='a'>", "SELECT * FROM t;", "\\n", "$x^2$",
  "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "</s>", "<unk>",
  "<|im_", "im_end|>", "<0x0A>", "▁", "▁▁", "Ġ", "[@BOS@]", "<mask>", "<unused99>", "<pad>", "[multimodal]",
];

/** Random numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** `count` texts, the first of which are each part and one word of each script alone. */
export function texts(count: number): string[] {
  const below = numbers(47);
  const word = ([, first, last]: (typeof scripts)[number]): string =>
    Array.from({ length: 1 + below(9) }, () => String.fromCodePoint(first + below(last - first + 1))).join("");
  const piece = (): string => {
    const kind = below(3);
    if (kind === 0) return parts[below(parts.length)] ?? "";
    return word(scripts[kind === 1 ? 0 : below(scripts.length)] ?? ["", 0x61, 0x7a]) + (below(2) === 0 ? " " : "");
  };
  const alone = [...parts, ...scripts.map(word)];
  const mixed = Array.from({ length: count - alone.length }, () =>
    Array.from({ length: 1 + below(24) }, piece).join(""),
  );
  return [...alone, ...mixed];
}
