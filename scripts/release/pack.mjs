// `npm run pack`: writes the tarballs that are published to build/packages: llama-hooks, and the addon's package of
// each platform named (default: this machine's). Works in a bare clone, too.
//   --platform NAME   repeatable; another one is cross-compiled where a compiler for it is known (pack/addon.mjs)
//   --libraries VERSION  of llama.cpp's packages, to try with what is there; what is packed so cannot be published
//   --published NAME  repeatable; a platform whose package was packed elsewhere, for llama-hooks to name, too
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { npmCommand } from "../build/npm-command.mjs";

const projectDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [npmProgram, ...npmFile] = npmCommand;
const npm = (args, options = {}) =>
  execFileSync(npmProgram, [...npmFile, ...args], {
    cwd: projectDir,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });

/** The failed step has printed its reason; a stack of this script would only hide it. */
function fail(message, code = 1) {
  console.error(`pack: ${message}`);
  process.exit(code);
}

if (!existsSync(join(projectDir, "node_modules", "typescript"))) {
  console.error("pack: npm ci, as nothing is installed here");
  try {
    npm(["ci"], { stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    fail("npm ci failed");
  }
}
const { buildDir, thisPlatform } = await import("../build/llama-paths.mjs");
const { mainManifest, platformManifest, platformNames, platformPackage } = await import("./pack/manifests.mjs");
const { mainNotices, platformNotices } = await import("./pack/notices.mjs");
const { writeAddon } = await import("./pack/addon.mjs");

const { values } = parseArgs({
  options: {
    libraries: { type: "string" },
    platform: { type: "string", multiple: true },
    published: { type: "string", multiple: true, default: [] },
  },
});
const packed = values.platform ?? [thisPlatform];
const unknown = [...packed, ...values.published].find((name) => !platformNames.includes(name));
if (unknown !== undefined) fail(`there is no platform ${unknown}; there are ${platformNames.join(", ")}`, 2);

const out = join(buildDir, "packages");
const stage = join(out, "stage");
rmSync(out, { recursive: true, force: true });

/** Packs a folder with this manifest and returns the tarball's name. */
function tarball(folder, manifest) {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const [{ filename, size }] = JSON.parse(
    npm(["pack", "--json", "--ignore-scripts", "--pack-destination", out], { cwd: folder }),
  );
  console.log(`${(size / 1e6).toFixed(1).padStart(6)} MB  ${join(out, filename)}`);
}

function stageFolder(name) {
  const folder = join(stage, name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(projectDir, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

for (const platform of packed) {
  const folder = stageFolder(platform);
  const linked = await writeAddon(platform, folder, values.libraries).catch(({ message }) => fail(message));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), platformNotices());
  writeFileSync(
    join(folder, "README.md"),
    `# ${platformPackage(platform)}\n\nThe native addon of llama-hooks for ${platform}. Install llama-hooks, which brings it.\n`,
  );
  tarball(folder, platformManifest(platform, linked));
}

npm(["run", "build:ts"], { stdio: ["ignore", "ignore", "inherit"] });
const main = stageFolder("llama-hooks");
const [{ files }] = JSON.parse(npm(["pack", "--dry-run", "--json", "--ignore-scripts"]));
for (const { path } of files) cpSync(join(projectDir, path), join(main, path));
writeFileSync(join(main, "THIRD-PARTY-NOTICES.md"), mainNotices());
const manifest = mainManifest([...new Set([...packed, ...values.published])]);
tarball(main, { ...manifest, files: [...manifest.files, "THIRD-PARTY-NOTICES.md"] });
rmSync(stage, { recursive: true });
