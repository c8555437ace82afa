// Links of the pages lead to something that exists: files, sections, and in docs/guides/migrating.md tests, by name.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const parity = path.join(root, "test", "parity");

async function pages(): Promise<string[]> {
  const inDocs = await readdir(path.join(root, "docs"), { recursive: true });
  const found = inDocs.filter((file) => file.endsWith(".md")).map((file) => path.join("docs", file));
  return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...found];
}

/** Text and target of each link, those in blocks of code left aside. */
function linksOf(text: string): [text: string, target: string][] {
  const prose = text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/^ {4}.*$/gm, "");
  return [...prose.matchAll(/\[((?:[^[\]\\]|\\.)*)\]\(([^()\s]+)\)/g)].map(([, shown = "", target = ""]) => [
    shown.replaceAll(/\\([[\]|])/g, "$1"),
    target,
  ]);
}

/** The anchors of a page, as the usual renderers make them of its headings. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = ""]) => heading,
  );
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("every link within the repository leads somewhere", async () => {
  const broken: string[] = [];
  for (const page of await pages()) {
    const text = await readFile(path.join(root, page), "utf8");
    for (const [, target] of linksOf(text)) {
      if (target.includes("://")) continue;
      const [file = "", anchor] = target.split("#");
      const at = file === "" ? path.join(root, page) : path.resolve(root, path.dirname(page), file);
      if (!existsSync(at)) broken.push(`${page}: ${target}`);
      else if (anchor !== undefined && at.endsWith(".md") && !anchorsOf(await readFile(at, "utf8")).includes(anchor))
        broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("docs/README.md links to every page, and says what is in it", async () => {
  const text = await readFile(path.join(root, "docs", "README.md"), "utf8");
  const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^()#]+)\): \S/gm)].map(([, target = ""]) => `docs/${target}`);
  const inRooms = (await pages()).filter((page) => /^docs\/(?:\w+\/)?[^/]+$/.test(page) && page !== "docs/README.md");
  expect(inRooms.length).toBeGreaterThan(30);
  expect(listed.toSorted()).toEqual(inRooms.toSorted());
});

/** The names of the tests of a file. */
function testsOf(source: string): string[] {
  const plain = [...source.matchAll(/^test\(\s*"([^"]+)"/gm)].map(([, name = ""]) => name);
  const rows = [...source.matchAll(/^ {4}"(\d+ [A-Z_]+: [^"]+)",$/gm)].map(([, name = ""]) => name);
  return [...plain, ...rows];
}

test("docs/guides/migrating.md links to every parity test by its name, and to no other", async () => {
  const text = await readFile(path.join(root, "docs", "guides", "migrating.md"), "utf8");
  const linked = linksOf(text)
    .filter(([, target]) => target.startsWith("../../test/parity/"))
    .map(([name, target]) => `${path.basename(target)}: ${name}`);
  const there: string[] = [];
  for (const file of await readdir(parity)) {
    const names = testsOf(await readFile(path.join(parity, file), "utf8"));
    expect(names.length, file).toBeGreaterThan(0);
    there.push(...names.map((name) => `${file}: ${name}`));
  }
  expect(linked.toSorted()).toEqual(there.toSorted());
});

test("docs/guides/migrating.md names tests of other folders as they are named there", async () => {
  const text = await readFile(path.join(root, "docs", "guides", "migrating.md"), "utf8");
  const elsewhere = linksOf(text).filter(([, target]) => /^\.\.\/\.\.\/test\/(?!parity\/)/.test(target));
  expect(elsewhere.length).toBeGreaterThan(60);
  const unknown: string[] = [];
  for (const [name, target] of elsewhere) {
    const names = testsOf(await readFile(path.resolve(root, "docs", "guides", target), "utf8"));
    if (!names.includes(name)) unknown.push(`${target}: ${name}`);
  }
  expect(unknown).toEqual([]);
});
