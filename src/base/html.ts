// HTML as a template tag that escapes whatever it is given, so that no text of a result can become markup.
// Must not: know what a page is about.

/** Markup that is safe to put into a page as it is. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function markupOf(part: HtmlPart): string {
  if (part === null) return "";
  if (part instanceof Html) return part.toString();
  if (typeof part === "object") return part.map(markupOf).join("");
  return String(part).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Text is escaped, markup made by this tag is kept, null is nothing, a list is its parts. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  // A template is laid out for who reads the source; a page is smaller without.
  const [first = "", ...rest] = strings.map((string) => string.replaceAll(/\s+/g, " "));
  return new Html(rest.reduce((markup, string, i) => markup + markupOf(parts[i] ?? null) + string, first));
}
