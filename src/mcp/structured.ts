// Finds the part of structured content that the texts of a result do not repeat. Servers often send the same data as
// both.
import { isDeepStrictEqual } from "node:util";

/** A shorter text may occur in another by chance. */
const shortest = 24;
/** The maximum characters searched in total: a server decides how many texts there are. */
const mostSearched = 2 ** 27;

const said = Symbol("said");

/**
 * The part of `structured` that no text of the result contains; undefined: they contain all. `texts`: for the model.
 */
export function unsaid(structured: unknown, texts: readonly string[]): unknown {
  const left = new Said(texts).without(structured);
  return left === said ? undefined : left;
}

class Said {
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];
  #searched = 0;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#values = texts.flatMap(parsed);
  }

  /** The value without the parts that a text contains; `said` if nothing is left. */
  without(value: unknown): unknown {
    if (this.#has(value)) return said;
    if (Array.isArray(value)) {
      const left = value.map((item: unknown) => this.without(item));
      if (left.length > 0 && left.every((item) => item === said)) return said;
      // The items keep their places.
      return value.map((item: unknown, index) => (left[index] === said ? item : left[index]));
    }
    if (typeof value !== "object" || value === null) return value;
    const all = Object.entries(value).map(([key, item]) => [key, this.without(item)] as const);
    const left = all.filter(([, item]) => item !== said);
    return all.length > 0 && left.length === 0 ? said : Object.fromEntries(left);
  }

  #has(value: unknown): boolean {
    if (typeof value === "string" && this.#texts.some((text) => text === value || this.#shows(text, value)))
      return true;
    return this.#values.some((one) => isDeepStrictEqual(one, value));
  }

  #shows(text: string, value: string): boolean {
    if (value.length < shortest || this.#searched > mostSearched) return false;
    this.#searched += text.length;
    return text.includes(value);
  }
}

/** A list with the value of the text, if it is JSON; otherwise an empty list. */
function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
