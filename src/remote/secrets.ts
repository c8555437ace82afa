// Finds the keys of a remote model, in the forms in which a server may repeat them.
// Must not: let a part of a key through because the key arrived in two pieces.
import type { SecretValues } from "./secret-members.js";

/** Replaces a key. */
const mask = "[secret]";
/** A shorter key is masked in errors only, and only as a whole word. Other values that are shorter are not masked. */
const shortest = 6;
/** Shorter keys are often words for servers that need no key, such as "ollama". */
const shortestInAnswers = 8;
/** Words before a key in a header. */
const schemes = /^(bearer|basic|token|digest|negotiate|api-?key|key)$/i;

/** The values that `remote()` keeps secret: keys, and in errors other values of headers and of the address's query. */
export class Secrets {
  readonly #values: SecretValues;
  /** The longest first, because a key may be the beginning of another. */
  readonly #forms: readonly string[];
  readonly #inAnswers: readonly string[];
  readonly #words: RegExp | undefined;

  constructor(values: SecretValues) {
    this.#values = values;
    const keys = [...new Set(values.keys.flatMap(keysIn))];
    const others = values.others.flatMap(keysIn);
    this.#forms = formsOf([...keys, ...others].filter((key) => key.length >= shortest));
    this.#inAnswers = formsOf(keys.filter((key) => key.length >= shortestInAnswers));
    const short = keys.filter((key) => key.length < shortest).map((key) => key.replace(/[^\w]/g, "\\$&"));
    this.#words = short.length === 0 ? undefined : new RegExp(`(?<![\\w-])(?:${short.join("|")})(?![\\w-])`, "g");
  }

  /** These values and further ones. */
  and({ keys, others }: SecretValues): Secrets {
    if (keys.length + others.length === 0) return this;
    return new Secrets({ keys: [...this.#values.keys, ...keys], others: [...this.#values.others, ...others] });
  }

  /** A message of an error, with the values masked. */
  clean(text: string): string {
    const clean = without(text, this.#forms);
    return this.#words === undefined ? clean : clean.replace(this.#words, mask);
  }

  /** A name or an id in an answer, with the keys masked. */
  cleanName(name: string): string {
    return without(name, this.#inAnswers);
  }

  /** Masks keys in the text of an answer while it arrives. */
  stream(): CleanStream {
    return new CleanStream(this.#inAnswers);
  }
}

/** Holds back what may be the beginning of a key. */
export class CleanStream {
  readonly #forms: readonly string[];
  readonly #longest: number;
  #held = "";

  constructor(forms: readonly string[]) {
    this.#forms = forms;
    this.#longest = forms[0]?.length ?? 0;
  }

  /** The text that may be sent on now. */
  push(text: string): string {
    if (this.#longest === 0) return text;
    const clean = without(this.#held + text, this.#forms);
    const begin = this.#beginning(clean);
    this.#held = clean.slice(begin);
    return clean.slice(0, begin);
  }

  /** The rest. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /** The place from which the end of the text may be the beginning of a key. */
  #beginning(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      const end = text.slice(at);
      if (this.#forms.some((form) => form.startsWith(end))) return at;
    }
    return text.length;
  }
}

/**
 * JSON in which no plain character is written as an escape, so that keys are found in it. Escapes may arrive in two
 * pieces.
 */
export class PlainJson {
  #held = "";

  push(json: string): string {
    const text = this.#held + json;
    const cut = /(?<!\\)(?:\\\\)*(\\(?:u[\da-fA-F]{0,3})?)$/.exec(text)?.[1] ?? "";
    this.#held = cut;
    return text
      .slice(0, text.length - cut.length)
      .replace(/\\(?:u00([2-7][\da-fA-F])|[^])/g, (escape, code?: string) => {
        if (escape === "\\/") return "/";
        const char = code === undefined ? "" : String.fromCharCode(Number.parseInt(code, 16));
        return char === "" || char === '"' || char === "\\" || char === "\x7f" ? escape : char;
      });
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

function without(text: string, forms: readonly string[]): string {
  return forms.reduce((clean, form) => (clean.includes(form) ? clean.replaceAll(form, mask) : clean), text);
}

/** The keys in a value: the whole value, the part after its scheme, and the credentials of a `Basic` one. */
function keysIn(value: string): string[] {
  const whole = value.trim();
  const [, scheme = "", rest = ""] = /^(\S+)\s+(.*)$/s.exec(whole) ?? [];
  const keys = [whole, ...(schemes.test(scheme) ? [rest] : [])];
  if (/^basic$/i.test(scheme)) {
    const plain = Buffer.from(rest, "base64").toString("utf8");
    keys.push(plain, plain.slice(plain.indexOf(":") + 1));
  }
  return keys.filter((key) => key !== "" && !schemes.test(key));
}

/** Each key verbatim, in a URL, in JSON, in HTML, and in base64. */
function formsOf(keys: readonly string[]): string[] {
  const all = keys.flatMap((key) => {
    const inUrl = encodeURIComponent(key.toWellFormed());
    const inForm = inUrl.replaceAll("%20", "+").replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    const inUrls = [inUrl, inForm, encodeURI(key.toWellFormed())];
    return [
      key,
      ...inUrls,
      ...inUrls.map((text) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase())),
      ...inUrls.map((text) => text.replace(/%[\da-f]{2}/g, (code) => code.toUpperCase())),
      JSON.stringify(key).slice(1, -1),
      key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
      ...inBase64(key),
    ];
  });
  return [...new Set(all)].toSorted((a, b) => b.length - a.length);
}

/** Also within a longer text: the base64 characters that depend on the key alone, for each position. */
function inBase64(key: string): string[] {
  const bytes = Buffer.from(key);
  const cores = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    return text.slice(before === 0 ? 0 : before + 1, text.length - shared);
  });
  const whole = [bytes.toString("base64"), bytes.toString("base64url")];
  return [...whole, ...cores.flatMap((core) => [core, core.replaceAll("-", "+").replaceAll("_", "/")])].filter(
    (core) => core.length >= shortestInAnswers,
  );
}
