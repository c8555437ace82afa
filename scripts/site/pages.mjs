// The pages of the site: which pages there are, in which order, and where their links lead. docs/README.md is the list
// of pages. Must not: hold a second list, or need more than the repository, because tests call these functions, too.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";

export const decisions = "docs/internals/adr";

/** A file of the repository, by its path in it. */
export function read(file) {
  return readFileSync(join(projectDir, file), "utf8");
}

export const manifest = JSON.parse(read("package.json"));
/** The repository's address in a browser. */
export const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** The path of a page on the site; undefined for a file that is no page. The top README.md is the first page. */
export function sitePath(file) {
  if (file === "README.md") return "index.md";
  if (file === "docs/README.md") return "contents.md";
  if (!/^docs\/.*\.md$/.test(file)) return undefined;
  return file.slice("docs/".length).replace(/(^|\/)README\.md$/, "$1index.md");
}

/** The path of a page on the site as a browser asks for it. */
export function webPath(file) {
  return `/${sitePath(file)
    .replace(/(^|\/)index\.md$/, "$1")
    .replace(/\.md$/, ".html")}`;
}

function titleOf(file) {
  const [, title] = /^# (.+)$/m.exec(read(file)) ?? [];
  if (title === undefined) throw new Error(`${file} has no title`);
  return title;
}

/** The pages of a list of docs/README.md: file, title, and what is in it. */
function listedIn(text) {
  const rows = text.matchAll(/^- \[([^\]]+)\]\(([^()#]+\.md)\): (.+(?:\n {2}.+)*)/gm);
  return [...rows].map(([, title, target, about]) => ({
    file: posix.join("docs", target),
    title,
    about: withoutLinks(about),
  }));
}

/** Markdown of one line, with the texts of links in place of the links. */
export function withoutLinks(text) {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\[([^\]]*)\]\([^()]*\)/g, "$1")
    .trim();
}

/** The sections of docs/README.md that list pages, each with its pages. */
export function sections() {
  const [start, ...others] = read("docs/README.md").split(/^## /m);
  const parts = [["Start", start], ...others.map((text) => [/^[^:\n]+/.exec(text)[0], text])];
  return parts.map(([title, text]) => ({ title, pages: listedIn(text) })).filter(({ pages }) => pages.length > 0);
}

/** The decisions, which docs/README.md names only as a folder. */
export function decisionPages() {
  const names = readdirSync(join(projectDir, decisions)).filter((name) => /^\d{4}-.*\.md$/.test(name));
  return names.sort().map((name) => ({ file: `${decisions}/${name}`, title: titleOf(`${decisions}/${name}`) }));
}

/** The pictures of the pages, by their path on the site. */
export function pictures() {
  return readdirSync(join(projectDir, "docs")).filter((name) => name.endsWith(".svg"));
}

/** The files of all pages, in the order of the navigation. */
export function pageFiles() {
  return [
    "README.md",
    "docs/README.md",
    ...sections().flatMap(({ pages }) => pages.map(({ file }) => file)),
    `${decisions}/README.md`,
    ...decisionPages().map(({ file }) => file),
  ];
}

const code = /^( *)(`{3,})[^\n]*\n[^]*?^\1\2$|(?<!`)(`+)(?!`)[^]*?(?<!`)\3(?!`)/gm;

/** The text with its prose changed, and its code, in blocks with a fence and in lines, as it is. */
function changeProse(text, change) {
  let result = "";
  let end = 0;
  for (const match of text.matchAll(code)) {
    result += change(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + change(text.slice(end));
}

/** The prose of a page, without its code. */
export function proseOf(text) {
  let prose = "";
  changeProse(text, (part) => {
    prose += `${part}\n`;
    return part;
  });
  return prose;
}

/**
 * Returns the target of a page's link: another page, a picture, or a file in the repository at the tag of this version.
 * Throws if there is no such file.
 */
export function siteLink(from, target) {
  if (target.startsWith("#") || /^[a-z]+:/.test(target)) return target;
  const [, name, anchor] = /^([^#]*)(#.*)?$/.exec(target);
  const file = posix.join(posix.dirname(from), name).replace(/\/$/, "");
  if (!existsSync(join(projectDir, file))) throw new Error(`${from}: the link ${target} leads nowhere`);
  const isFolder = statSync(join(projectDir, file)).isDirectory();
  const index = `${file}/README.md`;
  const page = isFolder && file.startsWith("docs/") && existsSync(join(projectDir, index)) ? index : file;
  const path = sitePath(page) ?? pictures().find((name) => page === `docs/${name}`);
  if (path === undefined)
    return `${repository}/${isFolder ? "tree" : "blob"}/v${manifest.version}/${file}${anchor ?? ""}`;
  const relative = posix.relative(posix.dirname(`/${sitePath(from)}`), `/${path}`);
  return `${relative.startsWith(".") ? relative : `./${relative}`}${anchor ?? ""}`;
}

/** The text of a page on the site: without comments, with links that lead somewhere there. */
export function sitePage(file) {
  const text = changeProse(read(file), (prose) =>
    prose
      .replaceAll(/^<!--[^]*?-->\n/gm, "")
      .replaceAll(/\]\(([^()\s]+)\)/g, (_, target) => `](${siteLink(file, target)})`),
  );
  if (file !== `${decisions}/README.md`) return text;
  // The repository shows the folder's files below this page.
  const rows = decisionPages().map((page) => `- [${page.title}](./${posix.basename(page.file)})\n`);
  return `${text}\n${rows.join("")}`;
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
