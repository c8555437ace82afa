// A package.json with placeholder addresses is not published, and README.md says how to install it meanwhile.
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Ended, node, quiet } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";
import { packedManifests } from "../support/installed.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as Record<string, unknown>;
const isFilled = !JSON.stringify([own["repository"], own["homepage"], own["bugs"]]).includes("FILL-IN");

async function check(manifest: object): Promise<{ code: number | null; stderr: string }> {
  const folder = await tempDir();
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  const { code, stderr } = await node([path.join(root, "scripts", "check", "publish.mjs"), folder]);
  return { code, stderr };
}

test("a package.json with placeholders is not published, and the fields are named", async () => {
  const url = "https://code.example/llama-hooks";
  const filled = { repository: { type: "git", url }, homepage: url, bugs: { url } };
  expect(await check(filled)).toEqual({ code: 0, stderr: "" });
  const placeholder = "https://FILL-IN.invalid/llama-hooks";
  const { code, stderr } = await check({ ...filled, repository: { type: "git", url: placeholder }, bugs: undefined });
  expect([code, stderr]).toEqual([1, expect.stringContaining("fill in repository, bugs before you publish")]);
});

test("a lock with packages whose content nothing identifies is not published, and the packages are named", async () => {
  const folder = await tempDir();
  const url = "https://code.example/llama-hooks";
  const filled = { repository: { type: "git", url }, homepage: url, bugs: { url } };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(filled));
  const check = async (packages: object): Promise<{ code: number | null; stderr: string }> => {
    await writeFile(path.join(folder, "package-lock.json"), JSON.stringify({ packages }));
    const { code, stderr } = await node([path.join(root, "scripts", "check", "publish.mjs"), folder]);
    return { code, stderr };
  };
  const whole = { "": {}, "node_modules/a": { integrity: "sha512-x" }, "node_modules/here": { link: true } };
  expect(await check(whole)).toEqual({ code: 0, stderr: "" });
  expect(await check({ ...whole, "node_modules/@b/c": { version: "1.0.0" } })).toEqual({
    code: 1,
    stderr: expect.stringContaining("no integrity for @b/c: ") as string,
  });
});

test("a clone is not published before the whole of npm run reliability has held on its commit", async () => {
  const folder = await tempDir();
  const url = "https://code.example/llama-hooks";
  await writeFile(
    path.join(folder, "package.json"),
    JSON.stringify({ repository: { type: "git", url }, homepage: url, bugs: { url } }),
  );
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  git("init", "-q");
  git("-c", "user.name=A", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "one");
  const check = (): Promise<Ended> => node([path.join(root, "scripts", "check", "publish.mjs"), folder]);
  const early = await node([path.join(root, "scripts", "check", "publish.mjs"), "--early", folder]);
  expect(early, "a release asks before it has run npm run reliability").toEqual({ ...quiet(0), stdout: "" });
  const results = path.join(folder, "build", "reliability");
  await mkdir(results, { recursive: true });
  const whole = { commit: git("rev-parse", "HEAD"), whole: true, held: true };
  const refused = [
    [undefined, "it has not been run"],
    [{ ...whole, commit: "abc" }, "it was run on abc, not on "],
    [{ ...whole, commit: `${whole.commit} with changes` }, "with changes, not on "],
    [{ ...whole, whole: false }, "only a part of it was run"],
    [{ ...whole, held: false }, "it has found faults"],
  ] as const;
  for (const [result, why] of refused) {
    if (result !== undefined) await writeFile(path.join(results, "result.json"), JSON.stringify(result));
    const { code, stderr } = await check();
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  }
  await writeFile(path.join(results, "result.json"), JSON.stringify(whole));
  expect(await check()).toEqual({ ...quiet(0), stdout: "" });
});

test("until then npm asks that of this folder, and what is packed of it is private, which npm refuses (EPRIVATE)", () => {
  expect((own["scripts"] as Record<string, string>)["prepublishOnly"]).toBe("node scripts/check/publish.mjs");
  const { repository, homepage, bugs } = own;
  for (const manifest of packedManifests())
    expect(JSON.parse(JSON.stringify(manifest))).toMatchObject(
      isFilled ? { repository, homepage, bugs } : { private: true },
    );
});

test.each(["README.md", "docs/getting-started.md", "docs/guides/installing.md"])(
  "%s installs what there is: tarballs until it is published",
  async (page) => {
    const commands = (await readFile(path.join(root, page), "utf8")).match(/^ {4}.*$/gm) ?? [];
    const installs = commands.filter((line) => /npm install (?:llama-hooks\b|\S*build\/packages)/.test(line));
    expect(installs.length).toBeGreaterThan(0);
    const wanted = isFilled ? /npm install llama-hooks/ : /npm install \.\.\/llama-hooks\/build\/packages\/\*\.tgz/;
    expect(installs.filter((line) => !wanted.test(line))).toEqual([]);
  },
);
