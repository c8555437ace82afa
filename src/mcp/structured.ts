// Finds the part of structured content that the texts of a result do not repeat. Servers often send the same data as
// both.
// Must not: take more than linear time, whatever a server sends.
import { isObject } from "../base/check.js";

/** A text, or a value in JSON, of fewer characters may occur in another by chance: "3", true, []. */
const shortest = 24;
/** The maximum characters searched in total: a server decides how many texts and values there are. */
const mostSearched = 2 ** 25;

const said = Symbol("said");

/**
 * The part of `structured` that no text of the result contains; undefined: they contain all. `texts`: for the model.
 */
export function unsaid(structured: unknown, texts: readonly string[]): unknown {
  const forms = new Forms();
  const values = texts.map((text) => ({ text, form: formIn(text, forms) }));
  const whole = forms.of(structured);
  if (values.some(({ form }) => form === whole) || isResult(structured, values, forms)) return undefined;
  const left = new Said(values, forms).without(structured);
  return left === said ? undefined : left;
}

/** A text of a result, and the form of its value if it is JSON. */
interface TextValue {
  readonly text: string;
  readonly form: Form | undefined;
}

/** True if the structured content has one result, and the texts are that or, in order, its items. */
function isResult(structured: unknown, texts: readonly TextValue[], forms: Forms): boolean {
  if (!isObject(structured) || Object.keys(structured).join() !== "result") return false;
  const { result } = structured;
  const isSaid = (value: unknown, { text, form }: TextValue): boolean => text === value || form === forms.of(value);
  if (texts.some((text) => isSaid(result, text))) return true;
  if (!Array.isArray(result) || result.length === 0 || result.length !== texts.length) return false;
  return texts.every((text, index) => isSaid(result[index], text));
}

class Said {
  readonly #texts: readonly string[];
  readonly #values: ReadonlySet<Form | undefined>;
  readonly #forms: Forms;
  #searched = 0;

  constructor(texts: readonly TextValue[], forms: Forms) {
    this.#texts = texts.map(({ text }) => text).filter((text) => text.length >= shortest);
    this.#values = new Set(texts.flatMap(({ text, form }) => [forms.of(text), form]));
    this.#forms = forms;
  }

  /** The value without the parts that a text contains; `said` if nothing is left. */
  without(value: unknown): unknown {
    const form = this.#forms.of(value);
    if (form.length < shortest) return value;
    if (this.#values.has(form) || (typeof value === "string" && this.#shown(value))) return said;
    if (Array.isArray(value)) {
      const left = value.map((item: unknown) => this.without(item));
      if (left.every((item) => item === said)) return said;
      // Its items keep their places.
      return value.map((item: unknown, index) => (left[index] === said ? item : left[index]));
    }
    if (!isObject(value)) return value;
    const left = Object.entries(value)
      .map(([key, item]) => [key, this.without(item)] as const)
      .filter(([, item]) => item !== said);
    return left.length === 0 ? said : Object.fromEntries(left);
  }

  #shown(value: string): boolean {
    return value.length >= shortest && this.#texts.some((text) => this.#shows(text, value));
  }

  /** The search for a long text may take the product of both lengths, so that only its beginning is searched. */
  #shows(text: string, value: string): boolean {
    const begin = value.slice(0, shortest);
    this.#searched += shortest + text.length;
    for (let at = -1; this.#searched <= mostSearched;) {
      at = text.indexOf(begin, at + 1);
      if (at === -1) return false;
      this.#searched += value.length;
      if (text.startsWith(value, at)) return true;
    }
    return false;
  }
}

/** A value as JSON, whatever the order of its members. Equal values have the same form. */
interface Form {
  readonly number: number;
  /** Characters of the value in JSON. */
  readonly length: number;
}

/** The forms of values. Each value is looked at once, so that all of its parts together cost no more than itself. */
class Forms {
  readonly #forms = new Map<string, Form>();
  readonly #known = new WeakMap<object, Form>();

  of(value: unknown): Form {
    if (typeof value !== "object" || value === null) {
      const json = JSON.stringify(value) ?? "null";
      return this.#form(json, json.length);
    }
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const form = Array.isArray(value) ? this.#ofItems(value) : this.#ofMembers(Object.entries(value));
    this.#known.set(value, form);
    return form;
  }

  #ofItems(items: readonly unknown[]): Form {
    const forms = items.map((item) => this.of(item));
    return this.#form(`[${numbersOf(forms)}]`, lengthOf(forms));
  }

  #ofMembers(members: readonly (readonly [string, unknown])[]): Form {
    const forms = members
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([key, value]) => [this.of(key), this.of(value)]);
    return this.#form(`{${numbersOf(forms)}}`, lengthOf(forms));
  }

  #form(key: string, length: number): Form {
    const form = this.#forms.get(key) ?? { number: this.#forms.size, length };
    this.#forms.set(key, form);
    return form;
  }
}

const numbersOf = (forms: readonly Form[]): string => forms.map(({ number }) => number).join();
/** The length with the brackets, and a comma or a colon behind each but the last. */
const lengthOf = (forms: readonly Form[]): number =>
  forms.reduce((sum, { length }) => sum + length + 1, forms.length === 0 ? 2 : 1);

/** The form of a text that is JSON. */
function formIn(text: string, forms: Forms): Form | undefined {
  try {
    return forms.of(JSON.parse(text));
  } catch {
    return undefined; // also JSON that is nested more deeply than a program can follow
  }
}
