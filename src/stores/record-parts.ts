// Finds the members and items of a JSON text without parsing its values: their places, so that two texts can be
// compared member by member. Must not: recurse within lists, whose items may be deep.

/** A value in a JSON text, from `start` to before `end`. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** The members of an object, by their names as written. */
  readonly members?: ReadonlyMap<string, Part>;
  /** The items of a list, which have no parts. */
  readonly items?: readonly Part[];
}

/** Deeper objects are one part. */
const mostDepth = 8;
const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [34, 92, 44, 91, 93, 123, 125];

/** Undefined: the text is not JSON. Some texts that are not JSON have parts, too. */
export function partsOf(text: string): Part | undefined {
  try {
    return new Scanner(text).whole();
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

class NotJson extends Error {}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Part {
    this.#skipSpace();
    const part = this.#value(mostDepth);
    this.#skipSpace();
    if (this.#at !== this.#text.length) throw new NotJson();
    return part;
  }

  #value(depth: number): Part {
    const code = this.#text.charCodeAt(this.#at);
    if (code === openObject && depth > 0) return this.#object(depth - 1);
    if (code === openList && depth > 0) return this.#list();
    return this.#leaf();
  }

  #object(depth: number): Part {
    const start = this.#at++;
    const members = new Map<string, Part>();
    for (this.#skipSpace(); !this.#takes(closeObject); this.#takesComma(closeObject)) {
      const name = this.#leaf();
      this.#skipSpace();
      ++this.#at; // the colon
      this.#skipSpace();
      const key = this.#text.slice(name.start, name.end);
      if (members.has(key)) throw new NotJson(); // which of the two values counts differs between readers
      members.set(key, this.#value(depth));
    }
    return { start, end: this.#at, members };
  }

  #list(): Part {
    const start = this.#at++;
    const items: Part[] = [];
    for (this.#skipSpace(); !this.#takes(closeList); this.#takesComma(closeList)) items.push(this.#leaf());
    return { start, end: this.#at, items };
  }

  /** A value as a whole: up to the comma or bracket behind it, or its last bracket. */
  #leaf(): Part {
    const start = this.#at;
    this.#at = endOfValue(this.#text, start);
    if (this.#at === start) throw new NotJson();
    return { start, end: this.#at };
  }

  #takes(code: number): boolean {
    if (this.#at >= this.#text.length) throw new NotJson();
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    ++this.#at;
    return true;
  }

  /** Goes to the next member or item, or to the end of the value. */
  #takesComma(close: number): void {
    this.#skipSpace();
    if (this.#takes(comma)) this.#skipSpace();
    else if (this.#text.charCodeAt(this.#at) !== close) throw new NotJson();
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) ++this.#at;
  }
}

function endOfValue(text: string, start: number): number {
  for (let at = start, depth = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (depth === 0 && endsValue(code)) return at;
    at = code === quote ? endOfString(text, at) : at + 1;
    if (code === openList || code === openObject) ++depth;
    else if (code === closeList || code === closeObject) --depth;
    if (depth === 0 && (code === quote || code === closeList || code === closeObject)) return at;
  }
  return text.length;
}

/** The place behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) ++escapes;
    if (escapes % 2 === 0) return at + 1;
  }
  throw new NotJson();
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function endsValue(code: number): boolean {
  return code === comma || code === closeList || code === closeObject || code === 58 || isSpace(code);
}
