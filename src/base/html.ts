// A template tag for HTML. It escapes every text that is inserted, so that no text can become markup.

/** Markup that may be put into a page unchanged. */
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

/** Escapes inserted text, keeps markup that this tag made, leaves out null, and joins the parts of a list. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  // The line breaks of a template serve readers of the source; the page is smaller without them.
  const [first = "", ...rest] = strings.map((string) => string.replaceAll(/\s+/g, " "));
  return new Html(rest.reduce((markup, string, i) => markup + markupOf(parts[i] ?? null) + string, first));
}
