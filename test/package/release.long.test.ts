// A release, published by npm itself to a registry of this machine: nothing is uploaded before all holds, llama-hooks
// comes last, and a release that failed in the middle continues.
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type Ended, start } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";

const script = (name: string): string => fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));

type Fault = "refused" | "lost" | undefined;
interface Registry {
  readonly address: string;
  has(name: string): Readonly<Record<string, Buffer>>;
  close(): void;
}
const { startRegistry } = (await import(script("test/install/registry.mjs"))) as {
  startRegistry(tarballs: readonly string[], options: { upload(name: string): Fault }): Promise<Registry>;
};

type Manifest = Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
const url = "https://code.example/llama-hooks";
const addresses = { repository: { type: "git", url: `git+${url}.git` }, homepage: url, bugs: { url } };
const version = "1.2.3";
const libraries: Manifest = { name: "@node-llama-cpp/linux-x64", version: "3.0.0" };
const linux: Manifest = {
  name: "@llama-hooks/linux-x64",
  version,
  ...addresses,
  dependencies: { [libraries.name]: libraries.version },
};
const mac: Manifest = { name: "@llama-hooks/darwin-arm64", version, ...addresses };
const main: Manifest = {
  name: "llama-hooks",
  version,
  ...addresses,
  optionalDependencies: { [linux.name]: version, [mac.name]: version },
};
const order = [linux.name, mac.name, main.name];

/** Writes a tarball with this package.json and a text beside it. */
async function pack(folder: string, manifest: Manifest, text = ""): Promise<string> {
  const name = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}`;
  const from = path.join(folder, `${name} files`);
  await mkdir(path.join(from, "package"), { recursive: true });
  await writeFile(path.join(from, "package", "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(from, "package", "text.txt"), text);
  execFileSync("tar", ["-czf", path.join("..", `${name}.tgz`), "package"], { cwd: from });
  return path.join(folder, `${name}.tgz`);
}

interface Release {
  readonly registry: Registry;
  readonly packages: string;
  /** Names in the order in which they arrived. */
  readonly uploads: string[];
  /** Faults of the next uploads, by name. */
  readonly faults: Map<string, Fault>;
  run(args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
}

/** A clone that may be published, its packed tarballs, and a registry that has only llama.cpp's libraries. */
async function prepare(manifests: readonly Manifest[] = [main, mac, linux]): Promise<Release> {
  const clone = await tempDir();
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: clone, encoding: "utf8" }).trim();
  await writeFile(path.join(clone, "package.json"), JSON.stringify({ name: "llama-hooks", version, ...addresses }));
  git("init", "-q");
  git("-c", "user.name=A", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "one");
  const reliability = path.join(clone, "build", "reliability");
  await mkdir(reliability, { recursive: true });
  const result = { commit: git("rev-parse", "HEAD"), whole: true, held: true };
  await writeFile(path.join(reliability, "result.json"), JSON.stringify(result));
  const packages = path.join(clone, "build", "packages");
  await mkdir(packages);
  for (const manifest of manifests) await pack(packages, manifest);
  const uploads: string[] = [];
  const faults = new Map<string, Fault>();
  const upload = (name: string): Fault => {
    uploads.push(name);
    return faults.get(name);
  };
  const registry = await startRegistry([await pack(await tempDir(), libraries)], { upload });
  onTestFinished(() => registry.close());
  const options = ["--clone", clone, "--packages", packages, "--wait", "1"];
  const platforms = ["--platform", "linux-x64", "--platform", "darwin-arm64"];
  const settings = {
    npm_config_registry: registry.address,
    npm_config_cache: await tempDir(),
    npm_config_userconfig: path.join(clone, ".npmrc"),
    npm_config_fetch_retries: "0",
    ACTIONS_ID_TOKEN_REQUEST_URL: "",
    SIGSTORE_ID_TOKEN: "",
    NODE_AUTH_TOKEN: "secret",
  };
  const run: Release["run"] = (args = [], env = {}) =>
    start(process.execPath, [script("release/publish.mjs"), ...options, ...platforms, ...args], {
      ...settings,
      ...env,
    }).ended;
  return { registry, packages, uploads, faults, run };
}

const publishedOf = ({ registry }: Release): string[] =>
  order.filter((name) => Object.keys(registry.has(name)).includes(version));

test("platforms are published first, llama-hooks last, with the bytes that were tried; a second start uploads nothing", async () => {
  const release = await prepare();
  const { code, stdout } = await release.run();
  expect([code, stdout]).toEqual([0, expect.stringContaining("published: 3 packages of version 1.2.3")]);
  expect(release.uploads).toEqual(order);
  const file = path.join(release.packages, `llama-hooks-${version}.tgz`);
  expect(release.registry.has("llama-hooks")[version]?.equals(await readFile(file))).toBe(true);
  const again = await release.run();
  expect([again.code, again.stdout.match(/^is done {2}\S+/gm)]).toEqual([
    0,
    order.map((name) => `is done  ${name}@${version}`),
  ]);
  expect(release.uploads).toEqual(order);
});

test("a failed upload ends it before llama-hooks, and the next start continues from there", async () => {
  const release = await prepare();
  release.faults.set(mac.name, "refused");
  const { code, stderr } = await release.run();
  expect([code, publishedOf(release)]).toEqual([1, [linux.name]]);
  expect(stderr).toContain(`publish: ${mac.name}@1.2.3 could not be uploaded\npublish: not uploaded: llama-hooks\n`);
  release.faults.clear();
  release.uploads.length = 0;
  expect((await release.run()).code).toBe(0);
  expect([release.uploads, publishedOf(release)]).toEqual([[mac.name, main.name], order]);
});

test("an upload whose answer was lost counts as done", async () => {
  const release = await prepare();
  release.faults.set(linux.name, "lost");
  const { code } = await release.run();
  expect([code, release.uploads]).toEqual([0, order]);
});

test("a version that is published with another content is refused, and nothing is uploaded", async () => {
  const release = await prepare();
  expect((await release.run()).code).toBe(0);
  await pack(release.packages, mac, "built again, with other bytes");
  const { code, stderr, stdout } = await release.run();
  expect([code, release.uploads]).toEqual([1, order]);
  expect(stdout).toContain(`REFUSED  ${mac.name}@1.2.3`);
  expect(stderr).toContain(`${mac.name}@1.2.3 is published with another content: raise the version`);
  expect(stderr).toContain("nothing was uploaded");
});

test.each<[string, readonly Manifest[], string]>([
  ["a platform without a tarball", [main, linux], "has 0 tarballs of @llama-hooks/darwin-arm64, and 1 is needed"],
  ["a package of another release", [main, mac, linux, libraries], `${libraries.name} is no package of this release`],
  ["a private package", [main, mac, { ...linux, private: true }], `${linux.name} is private`],
  [
    "another repository",
    [main, { ...mac, repository: { type: "git", url: "git+https://other.example/x.git" } }, linux],
    `${mac.name} has another repository than package.json`,
  ],
  ["another version", [main, { ...mac, version: "1.2.2" }, linux], `${mac.name} has version 1.2.2`],
  [
    "a llama-hooks that lacks a platform",
    [{ ...main, optionalDependencies: { [linux.name]: version } }, mac, linux],
    `llama-hooks does not name ${mac.name} in version 1.2.3`,
  ],
  [
    "a llama-hooks with one platform more",
    [{ ...main, optionalDependencies: { [linux.name]: version, [mac.name]: version, "@llama-hooks/x": version } }, mac],
    "llama-hooks names @llama-hooks/x, which this release does not have",
  ],
  [
    "libraries that are not published",
    [main, mac, { ...linux, dependencies: { [libraries.name]: "9.9.9" } }],
    `${linux.name} needs ${libraries.name}@9.9.9, which the registry does not have`,
  ],
])("%s: nothing is uploaded, and the reason is said", async (_, manifests, reason) => {
  const release = await prepare(manifests);
  const { code, stderr } = await release.run();
  expect([code, release.uploads]).toEqual([1, []]);
  expect(stderr).toContain(reason);
  expect(stderr).toContain("publish: nothing was uploaded");
});

test("a clone that has not passed npm run reliability publishes nothing", async () => {
  const release = await prepare();
  await writeFile(path.join(release.packages, "..", "reliability", "result.json"), JSON.stringify({ commit: "abc" }));
  const { code, stderr } = await release.run();
  expect([code, release.uploads]).toEqual([1, []]);
  expect(stderr).toContain("npm run reliability must have passed on this commit before you publish: it was run on abc");
});

test("a dry run shows the order, and uploads nothing", async () => {
  const release = await prepare();
  const { code, stdout } = await release.run(["--dry-run"]);
  expect([code, stdout.match(/^upload {3}\S+/gm)]).toEqual([0, order.map((name) => `upload   ${name}@${version}`)]);
  expect(release.uploads).toEqual([]);
});

test("provenance that was asked for and cannot be had ends it; so do a missing token and a registry that is down", async () => {
  const release = await prepare();
  const asked = await release.run(["--provenance"]);
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("this job has no identity")]);
  const anonymous = await release.run([], { NODE_AUTH_TOKEN: "" });
  expect([anonymous.code, anonymous.stderr]).toEqual([1, expect.stringContaining("ENEEDAUTH")]);
  release.registry.close();
  const alone = await release.run();
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("the registry cannot be asked for ")]);
  expect(release.uploads).toEqual([]);
});

test("llama.cpp's libraries that the registry lacks are named, with the newest that it has", async () => {
  const clone = JSON.parse(await readFile(script("../package.json"), "utf8")) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const pinned = clone.devDependencies["node-llama-cpp"] ?? "";
  const folder = await tempDir();
  const names = ["node-llama-cpp", ...["", "-cuda", "-vulkan"].map((kind) => `@node-llama-cpp/linux-x64${kind}`)];
  const tarballs = await Promise.all(names.map((name) => pack(folder, { name, version: pinned })));
  const old = await pack(folder, { name: "@node-llama-cpp/mac-arm64-metal", version: "0.0.1" });
  const registry = await startRegistry([...tarballs, old], { upload: () => "refused" });
  onTestFinished(() => registry.close());
  const env = {
    npm_config_registry: registry.address,
    npm_config_cache: await tempDir(),
    npm_config_fetch_retries: "0",
  };
  const check = (...platforms: string[]): Promise<Ended> =>
    start(process.execPath, [script("release/check-libraries.mjs"), ...platforms], env).ended;
  const linuxOnly = await check("linux-x64");
  expect([linuxOnly.code, linuxOnly.stdout]).toEqual([
    0,
    expect.stringContaining(`all are there in version ${pinned}`),
  ]);
  const both = await check("linux-x64", "darwin-arm64", "darwin-x64");
  expect([both.code, both.stdout.match(/^MISSING.*$/gm)]).toEqual([
    1,
    [
      `MISSING  @node-llama-cpp/mac-arm64-metal@${pinned} (darwin-arm64); its newest is 0.0.1`,
      `MISSING  @node-llama-cpp/mac-x64@${pinned} (darwin-x64); the registry does not have it at all`,
    ],
  ]);
  registry.close();
  expect((await check("linux-x64")).code).toBe(2);
});

test("a tag that is not the version, or a changelog without it, is refused", async () => {
  const folder = await tempDir();
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ version }));
  const check = async (tag: string, changelog: string): Promise<unknown[]> => {
    await writeFile(path.join(folder, "CHANGELOG.md"), changelog);
    const { code, stderr } = await start(process.execPath, [script("release/check-tag.mjs"), tag, folder]).ended;
    return [code, stderr];
  };
  expect(await check("v1.2.3", "# Changelog\n\n## 1.2.3\n\n## 1.2.2\n")).toEqual([0, ""]);
  expect(await check("v1.2.4", "## 1.2.3\n")).toEqual([1, expect.stringContaining("the tag must be v1.2.3")]);
  expect(await check("v1.2.3", "## 1.2.2\n")).toEqual([1, expect.stringContaining('no heading "## 1.2.3"')]);
  expect(await check("v1.2.3", "## Unreleased\n\n## 1.2.3\n")).toEqual([1, expect.stringContaining("still has")]);
});
