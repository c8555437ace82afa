// Finds links of the built site that lead nowhere: to a file that is not there, or to a section that its page lacks.
// Must not: follow a link to another server.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The parts of a page by which links may name it. */
function anchorsOf(html) {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
}

/** One line for each dead link of the pages in a folder, without those of typedoc, which checks its own. */
export function findFaults(folder, address) {
  const files = readdirSync(folder, { recursive: true }).map((file) => file.split(sep).join("/"));
  const pages = files.filter((file) => file.endsWith(".html") && !file.startsWith("api/"));
  const site = new URL(address, "http://site.invalid");
  const anchors = new Map(pages.map((page) => [page, anchorsOf(readFileSync(join(folder, page), "utf8"))]));
  const faultOf = (page, target) => {
    const url = new URL(target, new URL(page, site));
    if (url.origin !== site.origin) return undefined;
    if (!url.pathname.startsWith(site.pathname)) return "is outside the site";
    const path = decodeURIComponent(url.pathname.slice(site.pathname.length)).replace(/(^|\/)$/, "$1index.html");
    if (!existsSync(join(folder, path))) return "leads nowhere";
    const anchor = decodeURIComponent(url.hash.slice(1));
    return anchor === "" || (anchors.get(path)?.has(anchor) ?? true) ? undefined : "names a section that is not there";
  };
  const linksOf = (page) => {
    const text = readFileSync(join(folder, page), "utf8");
    if (page.endsWith(".txt")) return [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target);
    return [...text.matchAll(/<[^>]+?\s(?:href|src)="([^"]*)"/g)].map(([, target]) => target.replaceAll("&amp;", "&"));
  };
  return [...pages, "llms.txt"].flatMap((page) =>
    [...new Set(linksOf(page))].flatMap((target) => {
      const fault = faultOf(page, target);
      return fault === undefined ? [] : [`${relative("", join(folder, page))}: ${target} ${fault}`];
    }),
  );
}
