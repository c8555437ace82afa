// The addon is found, or what stands in its way is said, wherever package managers put packages.
import { execFile } from "node:child_process";
import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { node, quiet } from "../fixtures/child.js";
import { isFromSource } from "../support/built.js";
import { type Layout, installed, librariesPackage, librariesVersion, platform, version } from "../support/installed.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** The result of creating an engine there: the error's code and message, or the generated text. */
async function create(folder: string, before = "", options = "{ gpu: false, threads: 1 }"): Promise<string> {
  const file = path.join(folder, "main.mjs");
  await writeFile(
    file,
    `${before}
    const { createEngine } = await import("llama-hooks");
    try {
      const engine = await createEngine(${options});
      console.log((await engine.generate("Hello", { maxTokens: 4, temperature: 0 })).text === "" ? "silent" : "speaks");
      await engine.close();
    } catch ({ code, message }) {
      console.log(code + ": " + message);
    }`,
  );
  const { stdout, ...end } = await node([file]);
  expect(end).toEqual(quiet(0));
  return stdout.trimEnd();
}

const addonPackage = `@llama-hooks/${platform}`;

// The package contains an addon for the packaged libraries.
const skipped = isFromSource ? " (skipped: llama.cpp was built from source)" : "";

test.skipIf(isFromSource)(`libraries are opened by their path, wherever they lie${skipped}`, async () => {
  expect(await create(await installed())).toBe("speaks");
});

test.skipIf(isFromSource)(`without the loader the addon's own RUNPATH is the second way${skipped}`, async () => {
  const folder = await installed({ libraries: false });
  await mkdir(path.join(folder, "node_modules", path.dirname(librariesPackage)));
  await symlink(
    path.join(root, "node_modules", librariesPackage),
    path.join(folder, "node_modules", librariesPackage),
    "dir",
  );
  const loader = path.join(folder, "node_modules", addonPackage, "llama_hooks_loader.node");
  await writeFile(loader, "no library");
  expect(await create(folder)).toBe("speaks");
});

test.skipIf(isFromSource)(
  `the command, started through a link as npx does, finds packages that are links${skipped}`,
  async () => {
    const folder = await installed();
    const modules = path.join(folder, "node_modules");
    const store = (name: string): string => path.join(folder, "store", name, "node_modules");
    await mkdir(path.join(store("main"), "@llama-hooks"), { recursive: true });
    await mkdir(store("addon"), { recursive: true });
    await rename(path.join(modules, "llama-hooks"), path.join(store("main"), "llama-hooks"));
    await rename(path.join(modules, "@llama-hooks"), path.join(store("addon"), "@llama-hooks"));
    await symlink(path.join(store("main"), "llama-hooks"), path.join(modules, "llama-hooks"), "dir");
    await symlink(path.join(store("addon"), addonPackage), path.join(store("main"), addonPackage), "dir");
    const main = path.join(modules, "llama-hooks", "dist", "bundle", "command.js");
    const { code, stdout, stderr } = await node([main, "run", "Hello!", "--gpu", "off"]);
    expect([code, stdout], stderr).toEqual([0, "Hello! How can I help you?\n"]);
  },
);

test.each<[string, Layout, string]>([
  [
    "the platform's package is missing",
    { addon: false },
    `ADDON_MISSING: The package ${addonPackage}, which holds the addon, is not installed (by --omit=optional, or by a lock file of another platform): npm install ${addonPackage}@${version} (pnpm add ${addonPackage}@${version}, yarn add ${addonPackage}@${version})`,
  ],
  [
    "a clone has not been built",
    { addon: false, clone: true },
    "ADDON_MISSING: The addon of this clone has not been built: npm run build",
  ],
  [
    "the platform's package is of another version",
    { addonVersion: "9.9.9" },
    `VERSION_MISMATCH: ${addonPackage} has version 9.9.9, but ${version} is needed: npm install ${addonPackage}@${version}`,
  ],
  [
    "llama.cpp's package is missing",
    { libraries: false },
    `BACKEND_UNAVAILABLE: The package ${librariesPackage}, which holds llama.cpp's libraries, is not installed: npm install ${librariesPackage}@${librariesVersion}`,
  ],
  [
    "llama.cpp's package is of another version",
    { librariesVersion: "1.0.0" },
    `VERSION_MISMATCH: ${librariesPackage} has version 1.0.0, but ${librariesVersion} is needed: npm install ${librariesPackage}@${librariesVersion}`,
  ],
])("%s: that is said, with what mends it", async (_, layout, said) => {
  expect(await create(await installed(layout))).toContain(said);
});

const report = (header: object): string =>
  `Object.defineProperty(process.report, "getReport", { value: () => ({ header: ${JSON.stringify(header)} }) });`;
const old = { glibcVersionRuntime: "2.31" };
const other = (field: string, value: string): string =>
  `Object.defineProperty(process, "${field}", { value: "${value}" });`;

const needsNewer = "needs glibc 2.34 and libstdc++ with GLIBCXX_3.4.30";
const noneFor = (name: string): string =>
  `There is no prebuilt llama-hooks for ${name} (there is for linux-x64). Build it`;
const named: Layout = { addon: false, published: ["linux-x64"] };
const clone: Layout = { addon: false, clone: true };
const muslReport =
  'Object.defineProperty(process.report, "getReport", { value: () => ({ header: {}, sharedObjects: ["/lib/ld-musl-x86_64.so.1"] }) });';
const mac = other("platform", "darwin") + other("arch", "arm64");
const clonesBuild = "npm run build";
const notBuilt = "The addon of this clone has not been built";
const musl = "linux-x64-musl";
const windows = other("platform", "win32");
const buildAll = "npx llama-hooks build --llama";

test.each<[string, Layout, string, string, string, string]>([
  ["Alpine", named, muslReport, "PLATFORM_UNSUPPORTED", noneFor(musl), buildAll],
  ["a clone on Alpine", clone, muslReport, "ADDON_MISSING", notBuilt, "LLAMA_HOOKS_LLAMA=source npm run build"],
  [
    "Alpine, a lock file of another system",
    { addon: false, published: [musl] },
    muslReport,
    "ADDON_MISSING",
    `npm install @llama-hooks/${musl}@${version}`,
    "",
  ],
  ["an old glibc", named, report(old), "PLATFORM_UNSUPPORTED", needsNewer, buildAll],
  [
    "a clone, an old glibc",
    clone,
    report(old),
    "PLATFORM_UNSUPPORTED",
    needsNewer,
    "LLAMA_HOOKS_LLAMA=source npm run build",
  ],
  ["macOS", named, mac, "PLATFORM_UNSUPPORTED", noneFor("darwin-arm64"), "npx llama-hooks build"],
  ["a clone on macOS", clone, mac, "ADDON_MISSING", notBuilt, clonesBuild],
  ["arm64", named, other("arch", "arm64"), "PLATFORM_UNSUPPORTED", noneFor("linux-arm64"), "npx llama-hooks build"],
  ["s390x", named, other("arch", "s390x"), "PLATFORM_UNSUPPORTED", noneFor("linux-s390x"), buildAll],
  ["Windows", named, windows, "PLATFORM_UNSUPPORTED", noneFor("win32-x64"), buildAll],
  ["a clone on Windows", clone, windows, "ADDON_MISSING", notBuilt, clonesBuild],
])("%s: what is said is true there", async (_, layout, before, code, said, build) => {
  if (process.platform !== "linux") return console.log("not checked: glibc is of Linux");
  const output = await create(await installed(layout), before);
  expect(output).toContain(`${code}: `);
  expect(output).toContain(said);
  expect(/: ([^:]*\bbuild\b[^:]*)$/.exec(output)?.[1] ?? "").toBe(build);
});

test("an addon that needs newer system libraries is PLATFORM_UNSUPPORTED, a broken one ADDON_NOT_LOADED", async () => {
  if (process.platform !== "linux") return console.log("not checked: symbol versions are of Linux");
  const folder = await installed();
  const addon = path.join(folder, "node_modules", addonPackage, "llama_hooks.node");
  // Linked with a libm that has what no libm has yet.
  const file = (name: string): string => path.join(folder, name);
  await writeFile(file("m.c"), "int lh_newer(void) { return 1; }");
  await writeFile(file("m.map"), "GLIBC_9.9 { global: lh_newer; };");
  await writeFile(file("addon.c"), "int lh_newer(void); int napi_register_module_v1(void) { return lh_newer(); }");
  const shared = ["-shared", "-fPIC"];
  const soname = ["-Wl,-soname,libm.so.6", `-Wl,--version-script=${file("m.map")}`];
  await run("gcc", [...shared, file("m.c"), "-o", file("libm-newer.so"), ...soname]);
  await run("gcc", [...shared, file("addon.c"), file("libm-newer.so"), "-o", addon]);
  expect(await create(folder)).toMatch(/^PLATFORM_UNSUPPORTED: This system's libraries are too old for llama-hooks/);
  await writeFile(addon, "no library");
  const output = await create(folder);
  expect(output).toMatch(/^ADDON_NOT_LOADED: .*llama_hooks\.node cannot be loaded: /);
  expect(output).toContain(`npm install llama-hooks@${version}`);
});

test("code that a bundler took out of the package says that it has to stay there", async () => {
  const folder = await installed();
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ name: "bundled", type: "module" }));
  const main = path.join(folder, "node_modules", "llama-hooks", "package.json");
  await writeFile(main, (await readFile(main, "utf8")).replace('"name":"llama-hooks"', '"name":"mine"'));
  expect(await create(folder)).toMatch(/^ADDON_NOT_LOADED: .*bundled: leave it to node_modules \(esbuild: --external/);
});

test.skipIf(isFromSource).each(["cuda", "vulkan"])(
  `gpu "%s" without its package says what to install${skipped}`,
  async (gpu) => {
    if (platform !== "linux-x64") return console.log(`not checked: there is no such package for ${platform}`);
    const name = `${librariesPackage}-${gpu}`;
    const output = await create(await installed(), "", `{ gpu: "${gpu}" }`);
    expect(output).toBe(
      `BACKEND_UNAVAILABLE: gpu "${gpu}" needs the package ${name}: npm install ${name}@${librariesVersion} (pnpm add ${name}@${librariesVersion}, yarn add ${name}@${librariesVersion})`,
    );
  },
);
