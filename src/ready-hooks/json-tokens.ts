// The tokens of a JSON text that a program may want to replace, and where they are. Must not: change the text.

export interface JsonToken {
  /** `open` and `close`: of an object or a list; `name`: a key of an object; `value`: a string or a number. */
  readonly kind: "open" | "close" | "name" | "value";
  readonly begin: number;
  readonly end: number;
}

const starts = /[{}[\]"]|-?\d[\d.eE+-]*/g;
const colon = /\s*:/y;

/** `text` must be JSON. Strings may be so long that a regular expression for them would need too much stack. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  let end = 0;
  for (;;) {
    starts.lastIndex = end;
    const found = starts.exec(text);
    if (found === null) return;
    const { 0: start, index: begin } = found;
    end = start === '"' ? endOfString(text, begin + 1) : begin + start.length;
    yield { kind: kindOf(start, text, end), begin, end };
  }
}

function kindOf(start: string, text: string, end: number): JsonToken["kind"] {
  if (start === "{" || start === "[") return "open";
  if (start === "}" || start === "]") return "close";
  colon.lastIndex = end;
  return start === '"' && colon.test(text) ? "name" : "value";
}

/** Behind the quote that ends the string whose content begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}
