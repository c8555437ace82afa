import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

let packing: Promise<string[]> | undefined;

/** The files that npm would publish. */
function packed(): Promise<string[]> {
  return (packing ??= pack());
}

async function pack(): Promise<string[]> {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return files.map((file) => file.path);
}

test("the published package has all that its entries and its build need", async () => {
  const files = await packed();
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
    bin: Record<string, string>;
  };
  const entries = [...Object.values(manifest.exports), ...Object.values(manifest.bin)]
    .flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)))
    .map((entry) => entry.replace(/^\.\//, ""));
  const build = await readFile(path.join(root, "CMakeLists.txt"), "utf8");
  const modules = [...build.matchAll(/^include\((\w+)\)/gm)].map(([, name]) => `cmake/${name}.cmake`);
  const mentioned = [...build.matchAll(/script=\$\{CMAKE_SOURCE_DIR\}\/([\w./-]+)/g)].map(([, file]) => file ?? "");
  const headers = ["hooks.h", "engine.h"].map((name) => `native/include/llama_hooks/${name}`);
  const needed = [
    ...entries,
    ...modules,
    ...mentioned,
    ...headers,
    "CMakeLists.txt",
    "scripts/build/addon.mjs",
    "scripts/build/native.mjs",
  ];
  expect(needed.filter((file) => !files.includes(file))).toEqual([]);
});

test("the published package has every native source but tests, fuzzing and the tables that others are made from", async () => {
  const files = new Set(await packed());
  const sources = (await readdir(path.join(root, "native"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !/^native\/(?:test|fuzz|contract)\//.test(file));
  expect(sources.length).toBeGreaterThan(400);
  expect(sources.filter((file) => !files.has(file))).toEqual([]);
});

test("the published package has no tests, no build and nothing of a machine", async () => {
  const files = await packed();
  expect(
    files.filter((file) => /^(?:test|native\/test|build|bench|\.ci|\.scratch)\/|\.log$|\.test\./.test(file)),
  ).toEqual([]);
});

test("the files that the README links to are there", async () => {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link ?? "");
  const local = links.filter((link) => !link.includes("://"));
  expect(local.filter((link) => !existsSync(path.join(root, link)))).toEqual([]);
});

test("the published package runs no script when it is installed", async () => {
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as {
    scripts: object;
    gypfile: boolean;
  };
  // npm runs node-gyp by itself where there is a binding.gyp, in a clone, too, unless an option forbids it.
  expect([await packed(), manifest.gypfile]).toEqual([expect.not.arrayContaining(["binding.gyp"]), false]);
  expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
});

test("the manifest names the release of llama.cpp that the addon was built with", async () => {
  const { config } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { config: object };
  const record = await readFile(path.join(root, "build", "Release", "llama_hooks.json"), "utf8");
  expect(config).toEqual({ llamaCpp: (JSON.parse(record) as { release: string }).release });
});
