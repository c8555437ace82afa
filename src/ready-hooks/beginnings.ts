// Whether a text ends with what may be the beginning of a match: a pattern is made over into one that finds that.
// Must not: miss one. A text that is held for nothing comes a moment later; one that is let go cannot be recalled.

/** True where more text could make the end of `text` a match, or another one than it is. */
export type EndsWithin = (text: string) => boolean;

const always: EndsWithin = (text) => text !== "";

/** The end of the text, with any flags. */
const end = "(?![^])";
const nothing = "(?!)";

/** For a pattern that cannot be made over (it looks behind, refers back, or uses the flag `v`): every text. */
export function endsWithin({ source, flags }: RegExp): EndsWithin {
  if (flags.includes("v")) return always;
  const parser = new Parser(source, flags.includes("u"));
  let begun: string;
  try {
    begun = parser.read().begun;
  } catch (error) {
    if (error instanceof Unreadable) return always;
    throw error;
  }
  const pattern = new RegExp(`(?=[^])${begun}`, flags.replace(/[^isu]/g, ""));
  // After a character of a word `\b` would be judged wrongly at the beginning of the next text.
  const { looksAtWords } = parser;
  return (text) => pattern.test(text) || (looksAtWords && /\w$/.test(text));
}

/** Whether it can match nothing, wherever that may be; of what cannot be made over, whether it matches the empty text. */
export function matchesNothing({ source, flags }: RegExp): boolean {
  const plain = flags.replace(/[gy]/g, "");
  if (new RegExp(source, plain).test("")) return true;
  if (flags.includes("v")) return false;
  try {
    return new RegExp(new Parser(source, flags.includes("u")).read().whole, plain).test("");
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** A part of a pattern: `whole` is matched by all of it, `begun` where the text ends within it. */
interface Part {
  readonly whole: string;
  readonly begun: string;
}

class Unreadable extends Error {}

/** The rest of a text may be anything: what is asserted about it is left out, and asked for as if it were to come. */
const assertion: Part = { whole: "", begun: end };

class Parser {
  looksAtWords = false;
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  read(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#source.length) throw new Unreadable();
    return part;
  }

  #alternatives(): Part {
    const found = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) found.push(this.#sequence());
    const any = (texts: readonly string[]): string => `(?:${texts.join("|")})`;
    return { whole: any(found.map(({ whole }) => whole)), begun: any(found.map(({ begun }) => begun)) };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) parts.push(this.#term());
    const begun = parts.reduceRight((rest, part) => `(?:${part.begun}|${part.whole}${rest})`, nothing);
    return { whole: parts.map(({ whole }) => whole).join(""), begun };
  }

  #term(): Part {
    const asserted = this.#assertion();
    if (asserted !== undefined) return this.#quantifier() === undefined ? asserted : fail();
    const part = this.#group() ?? this.#atom();
    const times = this.#quantifier();
    if (times === undefined) return part;
    const { text, most } = times;
    if (most === 0) return { whole: "", begun: nothing };
    const before = `(?:${part.whole}){0,${most === undefined ? "" : most - 1}}`;
    return { whole: `(?:${part.whole})${text}`, begun: `${before}${part.begun}` };
  }

  #assertion(): Part | undefined {
    if (this.#take(/\^/y) !== undefined) fail();
    if (this.#take(/\$/y) !== undefined) return assertion;
    if (this.#take(/\\[bB]/y) !== undefined) {
      this.looksAtWords = true;
      return assertion;
    }
    if (this.#take(/\(\?<[=!]/y) !== undefined) fail();
    return this.#take(/\(\?[=!]/y) === undefined ? undefined : { whole: "", begun: this.#closed().begun };
  }

  #group(): Part | undefined {
    if (this.#take(/\(\?:|\(\?<[^>]*>|\((?!\?)/y) !== undefined) return this.#closed();
    return this.#take(/\(/y) === undefined ? undefined : fail();
  }

  #closed(): Part {
    const part = this.#alternatives();
    return this.#take(/\)/y) === undefined ? fail() : part;
  }

  /** A character, an escape or a class. */
  #atom(): Part {
    if (this.#take(/\\(?:[1-9]|k)/y) !== undefined) fail();
    const escaped = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])/y;
    const found = this.#take(escaped) ?? this.#take(/\[(?:\\[^]|[^\]\\])*\]/y);
    if (found !== undefined) return { whole: found, begun: end };
    const one = this.#take(this.#unicode ? /[^]/uy : /[^]/y) ?? fail();
    return { whole: /[{}\]]/.test(one) ? `\\${one}` : one, begun: end };
  }

  #quantifier(): { readonly text: string; readonly most: number | undefined } | undefined {
    const text = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (text === undefined) return undefined;
    if (text.startsWith("?")) return { text, most: 1 };
    const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? ["", "", ",", ""];
    const last = comma === "" ? least : most;
    return { text, most: last === "" || last === undefined ? undefined : Number(last) };
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

function fail(): never {
  throw new Unreadable();
}
