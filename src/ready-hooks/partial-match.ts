// Decides whether a text ends with the possible beginning of a match, by rewriting the pattern.
// Must not: miss one. Text that is held back needlessly arrives a moment later; released text cannot be recalled.

/** True if more text could turn the end of `text` into a match, or change the match. */
export type PartialMatchTest = (text: string) => boolean;

const always: PartialMatchTest = (text) => text !== "";

/** The end of the text, with any flags. */
const end = "(?![^])";
const nothing = "(?!)";

/**
 * Rewrites a pattern. For a pattern that cannot be rewritten (lookbehind, backreferences, flag `v`) every text counts.
 */
export function endsWithPartialMatch({ source, flags }: RegExp): PartialMatchTest {
  if (flags.includes("v")) return always;
  const parser = new Parser(source, flags.includes("u"));
  let partial: string;
  try {
    partial = parser.read().partial;
  } catch (error) {
    if (error instanceof NotRewritable) return always;
    throw error;
  }
  const pattern = new RegExp(`(?=[^])${partial}`, flags.replace(/[^isu]/g, ""));
  // After a word character, `\b` would be decided wrongly at the start of the next text.
  const { looksAtWords } = parser;
  return (text) => pattern.test(text) || (looksAtWords && /\w$/.test(text));
}

/**
 * True if the pattern can match the empty text at any position. A pattern that cannot be rewritten is only tested
 * against "".
 */
export function matchesEmptyText({ source, flags }: RegExp): boolean {
  const plain = flags.replace(/[gy]/g, "");
  if (new RegExp(source, plain).test("")) return true;
  if (flags.includes("v")) return false;
  try {
    return new RegExp(new Parser(source, flags.includes("u")).read().whole, plain).test("");
  } catch (error) {
    if (error instanceof NotRewritable) return false;
    throw error;
  }
}

/** A part of a pattern: `whole` matches all of it, `partial` matches if the text ends within it. */
interface Part {
  readonly whole: string;
  readonly partial: string;
}

class NotRewritable extends Error {}

/** A lookahead concerns text that may still come, so it is dropped and its beginning counts as possible. */
const assertion: Part = { whole: "", partial: end };

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
    if (this.#at < this.#source.length) throw new NotRewritable();
    return part;
  }

  #alternatives(): Part {
    const found = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) found.push(this.#sequence());
    const any = (texts: readonly string[]): string => `(?:${texts.join("|")})`;
    return { whole: any(found.map(({ whole }) => whole)), partial: any(found.map(({ partial }) => partial)) };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) parts.push(this.#term());
    const partial = parts.reduceRight((rest, part) => `(?:${part.partial}|${part.whole}${rest})`, nothing);
    return { whole: parts.map(({ whole }) => whole).join(""), partial };
  }

  #term(): Part {
    const asserted = this.#assertion();
    if (asserted !== undefined) return this.#quantifier() === undefined ? asserted : fail();
    const part = this.#group() ?? this.#atom();
    const times = this.#quantifier();
    if (times === undefined) return part;
    const { text, most } = times;
    if (most === 0) return { whole: "", partial: nothing };
    const before = `(?:${part.whole}){0,${most === undefined ? "" : most - 1}}`;
    return { whole: `(?:${part.whole})${text}`, partial: `${before}${part.partial}` };
  }

  #assertion(): Part | undefined {
    if (this.#take(/\^/y) !== undefined) fail();
    if (this.#take(/\$/y) !== undefined) return assertion;
    if (this.#take(/\\[bB]/y) !== undefined) {
      this.looksAtWords = true;
      return assertion;
    }
    if (this.#take(/\(\?<[=!]/y) !== undefined) fail();
    return this.#take(/\(\?[=!]/y) === undefined ? undefined : { whole: "", partial: this.#closed().partial };
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
    if (found !== undefined) return { whole: found, partial: end };
    const one = this.#take(this.#unicode ? /[^]/uy : /[^]/y) ?? fail();
    return { whole: /[{}\]]/.test(one) ? `\\${one}` : one, partial: end };
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
  throw new NotRewritable();
}
