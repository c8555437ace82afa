// llms.txt (llmstxt.org): the pages for programs that read documentation, with what is in each; and
// llms-full.txt, the same pages in one file. Must not: list pages that the navigation lacks.
import { decisionPages, manifest, sections, sitePage, sitePath, withoutLinks } from "./pages.mjs";

/** The first sentence of a page's text as plain text. */
export function firstSentence(file) {
  const text = sitePage(file).replaceAll(/^```.*?^```$/gms, "");
  const isProse = (part) => !/^\n?(?:#|[ ]{4}|\||!\[|>|$)/.test(part);
  const line = withoutLinks(text.split(/\n{2,}/).find(isProse) ?? "")
    .replaceAll("**", "")
    .replace(/^- /, "");
  const sentence = /^.*?[.:](?= [^a-z]| (?:node-)?llama|$)/.exec(line)?.[0] ?? line;
  return sentence.replace(/:$/, ".");
}

/** Describes a page: the words of docs/README.md, where it has some, and the first sentence. */
export function describe({ file, about }) {
  return [...(about === undefined ? [] : [`${about}.`]), firstSentence(file)].join(" ");
}

/** The text of llms.txt. `address`: of the site, with a slash at its end. */
export function llmsText(address) {
  // Readers with little room leave out the section of this name.
  const optional = { title: "Optional", pages: decisionPages() };
  const parts = [...sections(), optional].map(({ title, pages }) => {
    const rows = pages.map((page) => `- [${page.title}](${address}${sitePath(page.file)}): ${describe(page)}\n`);
    return `\n## ${title}\n\n${rows.join("")}`;
  });
  const more = `[All pages in one file](${address}llms-full.txt), [the TypeScript API](${address}api/index.html)`;
  return `# ${manifest.name}\n\n> ${manifest.description}\n\n${more}\n${parts.join("")}`;
}

/** The text of llms-full.txt: the first page and those of all sections but Optional. */
export function fullText() {
  const files = ["README.md", ...sections().flatMap(({ pages }) => pages.map(({ file }) => file))];
  return files.map((file) => `<!-- ${sitePath(file)} -->\n\n${sitePage(file).trim()}\n`).join("\n");
}
