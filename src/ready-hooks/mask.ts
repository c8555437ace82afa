// Masks the matches of patterns, also if JSON has escaped them: `C:\\Users`, `\"`, `\n`, `\u0041`, and JSON in JSON.
// Must not: change anything else of a text.
import { jsonTokens } from "./json-tokens.js";
import { endsWithPartialMatch } from "./partial-match.js";

/** The maximum number of times that a text may have been escaped: JSON in JSON. */
const mostLevels = 4;
const escapes = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/g;
const unfinishedEscape = /\\(?:u[\da-fA-F]{0,3})?$/;
const plain: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
/** The parts of a pattern that depend on the place of a match: they may match in a value and not in its JSON. */
const aboutPlaces = /[$^]|\(\?/;

/** A text with its escapes decoded, and where its characters were. */
interface View {
  readonly text: string;
  /** Places in `text` and in the original, in ascending order, at which the distance between them changes. */
  readonly here: readonly number[];
  readonly there: readonly number[];
}

/** Masks the matches of patterns, which have the flag `g`, in texts and in values. */
export class Mask {
  readonly #patterns: readonly RegExp[];
  readonly #mask: string;
  readonly #within: readonly ((text: string) => boolean)[];
  readonly #looksAtPlaces: boolean;

  constructor(patterns: readonly RegExp[], mask: string) {
    this.#patterns = patterns;
    this.#mask = mask;
    this.#within = patterns.map(endsWithPartialMatch);
    this.#looksAtPlaces = patterns.some(({ source }) => aboutPlaces.test(source));
  }

  /** A text, which may be JSON or contain some. */
  text(text: string): string {
    let left = this.#plainText(text);
    for (let level = 1; level <= mostLevels; level++) {
      const views = viewsOf(left, level);
      if (views.length < level) break;
      left = this.#escapedText(left, views);
    }
    return this.#looksAtPlaces ? this.#json(left) : left;
  }

  /** Every text in a JSON value, including keys of objects, and numbers that match. */
  value<T>(value: T): T;
  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") {
      const text = String(value);
      return this.#plainText(text) === text ? value : this.#plainText(text);
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.value(item));
    const masked: Record<string, unknown> = {};
    const keys = new Keys();
    for (const [key, item] of Object.entries(value)) {
      Object.defineProperty(masked, keys.add(this.text(key), key), {
        value: this.value(item),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    return masked;
  }

  /** True if more text could turn the end of the text into a match. */
  mayGrow(text: string): boolean {
    const grows = (one: string): boolean => this.#within.some((mayGrow) => mayGrow(one));
    if (grows(text)) return true;
    if (!text.includes("\\")) return false;
    return unfinishedEscape.test(text) || viewsOf(text, mostLevels).some((view) => grows(view.text));
  }

  #plainText(text: string): string {
    return this.#patterns.reduce((rest, pattern) => rest.replace(pattern, () => this.#mask), text);
  }

  /** Masks the matches in the last of the views. */
  #escapedText(text: string, views: readonly View[]): string {
    const shown = views.at(-1)?.text ?? "";
    const spans = this.#patterns
      .flatMap((pattern) => [...shown.matchAll(pattern)])
      .map(({ 0: match, index }) => [originOf(index, views), originOf(index + match.length, views)] as const)
      .toSorted(([a], [b]) => a - b);
    const mask = views.reduce((escaped) => JSON.stringify(escaped).slice(1, -1), this.#mask);
    let left = "";
    let at = 0;
    for (const [begin, end] of spans) {
      if (end <= at) continue;
      left += begin >= at ? text.slice(at, begin) + mask : "";
      at = end;
    }
    return left + text.slice(at);
  }

  /** If the text as a whole is JSON, masks it value by value; all between the masked values stays as it was written. */
  #json(text: string): string {
    if (!/^\s*["[{]/.test(text)) return text;
    try {
      JSON.parse(text);
    } catch {
      return text; // it is not valid JSON, or nested too deeply; it was masked as a text
    }
    const around: Keys[] = []; // of the objects around a token
    let [left, at] = ["", 0];
    for (const { kind, begin, end } of jsonTokens(text)) {
      if (kind === "open") around.push(new Keys());
      if (kind === "close") around.pop();
      if (kind === "open" || kind === "close") continue;
      const json = text.slice(begin, end);
      left += text.slice(at, begin) + (kind === "name" ? this.#name(json, around.at(-1)) : this.#literal(json));
      at = end;
    }
    return left + text.slice(at);
  }

  /** A string or a number of JSON. */
  #literal(json: string): string {
    const value = JSON.parse(json) as string | number;
    const masked = this.value(value);
    if (masked !== value) return JSON.stringify(masked);
    const written = this.#plainText(json); // 1.50 is not written as the number is
    return typeof value === "string" || written === json ? json : JSON.stringify(written);
  }

  /** A key of JSON. */
  #name(json: string, keys = new Keys()): string {
    const key = JSON.parse(json) as string;
    const name = keys.add(this.text(key), key);
    return name === key ? json : JSON.stringify(name);
  }
}

/** The keys of one object. Two may look the same when they are masked. */
class Keys {
  readonly #used = new Set<string>();
  readonly #numbers = new Map<string, number>();

  /** Returns `masked` as the name for `key`, with a number added if another key has that name. */
  add(masked: string, key: string): string {
    const isTaken = masked !== key && this.#used.has(masked);
    const name = isTaken ? this.#numbered(masked) : masked;
    this.#used.add(name);
    return name;
  }

  #numbered(masked: string): string {
    for (let n = this.#numbers.get(masked) ?? 2; ; n++) {
      this.#numbers.set(masked, n + 1);
      if (!this.#used.has(`${masked} ${n}`)) return `${masked} ${n}`;
    }
  }
}

/** The text with its escapes decoded, that text with its own decoded, and so on, up to a maximum. */
function viewsOf(text: string, most: number): View[] {
  const views: View[] = [];
  for (let shown = text; views.length < most;) {
    const view = viewOf(shown);
    if (view === undefined) break;
    views.push(view);
    shown = view.text;
  }
  return views;
}

/** Undefined: the text has no escapes. */
function viewOf(text: string): View | undefined {
  if (!text.includes("\\")) return undefined;
  const parts: string[] = [];
  const [here, there]: [number[], number[]] = [[0], [0]];
  let length = 0;
  let at = 0;
  for (const { 0: escape, 1: code, 2: letter = "", index } of text.matchAll(escapes)) {
    const char = code === undefined ? (plain[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
    parts.push(text.slice(at, index), char);
    length += index - at;
    at = index + escape.length;
    here.push(length, ++length);
    there.push(index, at);
  }
  if (at === 0) return undefined;
  parts.push(text.slice(at));
  return { text: parts.join(""), here, there };
}

/** Maps a place in the last view back to the original text. */
function originOf(place: number, views: readonly View[]): number {
  return views.reduceRight((at, { here, there }) => {
    let [low, high] = [0, here.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((here[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return (there[low] ?? 0) + at - (here[low] ?? 0);
  }, place);
}
