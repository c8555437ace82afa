// VitePress's settings. scripts/docs.mjs writes the file that VitePress reads, which takes them from here.
import { anchorOf, decisionPages, decisions, manifest, repository, sections, webPath } from "./pages.mjs";

/** Tables here have many columns and long texts: cells take less room, and begin at the same height. */
const styles = ".VPDoc .vp-doc :is(th, td) { padding: 6px 10px; vertical-align: top; }";
const api = { text: "API", link: "/api/index.html", target: "_self" };
const itemOf = ({ file, title }) => ({ text: title, link: webPath(file) });

/** The groups of the navigation beside each page. The group of the page that is shown is open. */
export function sidebar() {
  const groups = sections().map(({ title, pages }) => ({ text: title, pages: pages.map(itemOf) }));
  const [start, ...others] = groups;
  return [
    {
      text: start.text,
      items: [
        { text: manifest.name, link: "/" },
        ...start.pages,
        { text: "All pages", link: webPath("docs/README.md") },
      ],
    },
    ...others.map(({ text, pages }) => ({ text, collapsed: true, items: pages })),
    {
      text: "Decisions",
      collapsed: true,
      items: [{ text: "All decisions", link: webPath(`${decisions}/README.md`) }, ...decisionPages().map(itemOf)],
    },
    { items: [api] },
  ];
}

/** Links above each page: the first page of each section of docs/README.md, and the API. */
function topLinks() {
  const links = sections().map(({ title, pages: [first] }) => ({ text: title, link: webPath(first.file) }));
  return [...links, api];
}

/** Changes how VitePress reads Markdown, to what GitHub shows. */
function changeMarkdown(md) {
  md.core.ruler.disable("emoji");
  // Blocks of code without a fence: VitePress's styles, which let them scroll, are only for those with one.
  md.renderer.rules.code_block = (...args) => md.renderer.rules.fence(...args);
}

/** `address`: where the site will be published, as a URL with a slash at its end, or "/". */
export function siteConfig({ address, output }) {
  return {
    lang: "en",
    title: manifest.name,
    description: manifest.description,
    base: address === "/" ? "/" : new URL(address).pathname,
    ...(address !== "/" && { sitemap: { hostname: address } }),
    outDir: output,
    head: [
      ["link", { rel: "icon", href: "data:," }], // else browsers ask for /favicon.ico
      ["style", {}, styles],
    ],
    transformPageData: ({ relativePath }) => (relativePath === "index.md" ? { title: "" } : undefined),
    markdown: {
      html: false, // a "<name>" in a text is text
      attrs: { disable: true },
      anchor: { slugify: anchorOf },
      config: changeMarkdown,
    },
    themeConfig: {
      nav: topLinks(),
      sidebar: sidebar(),
      outline: [2, 3],
      search: { provider: "local" },
      socialLinks: [{ icon: "git", link: repository, ariaLabel: "repository" }],
    },
  };
}

/** The pages that the navigation beside each page links to. */
export function navigated() {
  return sidebar()
    .flatMap(({ items }) => items.map(({ link }) => link))
    .filter((link) => link !== api.link);
}
