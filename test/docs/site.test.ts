// The parts of `npm run docs` that need no VitePress: the navigation, links and llms.txt. Must not:
// list a page.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Pages {
  manifest: { readonly version: string };
  repository: string;
  pageFiles(): string[];
  pictures(): string[];
  proseOf(text: string): string;
  siteLink(from: string, target: string): string;
  sitePage(file: string): string;
  sitePath(file: string): string | undefined;
  webPath(file: string): string;
}

const load = (file: string): Promise<unknown> => import(new URL(`../../scripts/site/${file}`, import.meta.url).href);
const { manifest, pageFiles, pictures, proseOf, repository, siteLink, sitePage, sitePath, webPath } = (await load(
  "pages.mjs",
)) as Pages;
const { navigated } = (await load("config.mjs")) as { navigated(): string[] };
const { fullText, llmsText } = (await load("llms.mjs")) as { fullText(): string; llmsText(address: string): string };

const root = fileURLToPath(new URL("../..", import.meta.url));
const inDocs = (await readdir(path.join(root, "docs"), { recursive: true }))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file.replaceAll("\\", "/")}`);
const files = pageFiles();

/** The targets of the links in a page's prose. */
const targetsOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target);

test("the site has each page of docs/ once, and README.md as its first page", () => {
  expect(inDocs.length).toBeGreaterThan(100);
  expect(files.toSorted()).toEqual(["README.md", ...inDocs].toSorted());
  expect(new Set(files.map(sitePath)).size).toBe(files.length);
  expect([sitePath("README.md"), sitePath("docs/README.md"), sitePath("CHANGELOG.md")]).toEqual([
    "index.md",
    "contents.md",
    undefined,
  ]);
});

test("the navigation has each page once", () => {
  expect(navigated().toSorted()).toEqual(files.map(webPath).toSorted());
});

test("each link of a page leads to a page, a picture, or a file of the repository", () => {
  const onSite = new Set([...files.map(sitePath), ...pictures()]);
  const inRepository = new RegExp(`^${repository}/(?:blob|tree)/v${manifest.version}/([^#]+)`);
  const counts = { site: 0, repository: 0 };
  const dead = files.flatMap((file) =>
    targetsOf(sitePage(file)).filter((target) => {
      const [, named] = inRepository.exec(target) ?? [];
      if (named !== undefined) {
        counts.repository += 1;
        return !existsSync(path.join(root, named));
      }
      if (/^(?:[a-z]+:|#)/.test(target)) return false;
      counts.site += 1;
      const [name = ""] = target.split("#");
      return !onSite.has(path.posix.join(path.posix.dirname(sitePath(file) ?? ""), name));
    }),
  );
  expect(dead).toEqual([]);
  expect(counts.site).toBeGreaterThan(200);
  expect(counts.repository).toBeGreaterThan(200);
});

test.each([
  ["README.md", "docs/guides/mcp.md#hooks", "./guides/mcp.md#hooks"],
  ["README.md", "docs/overhead.svg", "./overhead.svg"],
  ["docs/README.md", "internals/adr", "./internals/adr/index.md"],
  ["docs/guides/mcp.md", "../../README.md", "../index.md"],
  ["docs/guides/mcp.md", "../README.md", "../contents.md"],
  ["docs/guides/mcp.md", "#hooks", "#hooks"],
  ["docs/guides/mcp.md", "https://example.org/a.md", "https://example.org/a.md"],
  ["docs/guides/mcp.md", "../../schemas", `${repository}/tree/v${manifest.version}/schemas`],
  ["docs/guides/mcp.md", "../../src/index.ts", `${repository}/blob/v${manifest.version}/src/index.ts`],
])("in %s the link %s becomes %s", (from, target, expected) => {
  expect(siteLink(from, target)).toBe(expected);
});

test("a link that leads nowhere is an error", () => {
  expect(() => siteLink("docs/guides/mcp.md", "../concept/hooks.md")).toThrow(
    "docs/guides/mcp.md: the link ../concept/hooks.md leads nowhere",
  );
});

test("pages are changed in their links and comments alone, and not in code", async () => {
  const page = "docs/guides/mcp.md";
  const text = await readFile(path.join(root, page), "utf8");
  const withoutTargets = (part: string): string => part.replaceAll(/\]\([^()\s]+\)/g, "]()");
  expect(withoutTargets(sitePage(page))).toBe(withoutTargets(text.replaceAll(/^<!--.*-->\n/gm, "")));
});

test("no page has prose that VitePress would take for its own syntax", () => {
  const marks = /\{\{|^ *:::|^<<<|^\[\[toc\]\]|^<!--/m;
  expect(files.filter((file) => marks.test(proseOf(sitePage(file))))).toEqual([]);
});

test("llms.txt lists each page but the first and the two lists, with what is in it", () => {
  const text = llmsText("https://example.org/llama-hooks/");
  expect(text).toMatch(/^# llama-hooks\n\n> \S.*\.\n\n/);
  const rows = [...text.matchAll(/^- \[[^\]]+\]\(https:\/\/example\.org\/llama-hooks\/([^()]+)\): (.*)$/gm)];
  const lists = ["README.md", "docs/README.md", "docs/internals/adr/README.md"];
  const listed = files.filter((file) => !lists.includes(file)).map(sitePath);
  expect(rows.map(([, name]) => name).toSorted()).toEqual(listed.toSorted());
  expect(rows.filter(([, , words = ""]) => !/^\S.{20,}[.!?]$/.test(words)).map(([row]) => row)).toEqual([]);
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title).at(-1)).toBe("Optional");
});

test("llms-full.txt has the text of each page that is not optional", () => {
  const text = fullText();
  const pages = files.filter((file) => file !== "docs/README.md" && !file.startsWith("docs/internals/adr/"));
  expect(pages.filter((file) => !text.includes(sitePage(file).trim()))).toEqual([]);
});
