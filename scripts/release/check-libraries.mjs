// Checks that the registry has each package of llama.cpp's libraries that a release depends on, all in one version:
// `node scripts/release/check-libraries.mjs [PLATFORM ...]`, by default for all released platforms. A release runs this
// first, because a package whose dependency does not exist cannot be installed. Exit code 1: one is missing or is
// pinned to another version; 2: the registry cannot be asked.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";
import { platformManifest, platformNames } from "./pack/manifests.mjs";
import { publishedManifest } from "./published.mjs";
import { released } from "./released.mjs";

const { devDependencies, peerDependencies } = JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8"));
const version = devDependencies["node-llama-cpp"];
const asked = process.argv.length > 2 ? process.argv.slice(2) : released;
let faults = 0;
function fault(text) {
  faults += 1;
  console.log(`MISSING  ${text}`);
}

/**
 * Each package by what names it: the build itself, platforms, and the main package, whose users install those of GPUs.
 */
const needed = new Map([[`node-llama-cpp@${version}`, ["the build"]]]);
function need(dependencies, by) {
  for (const [name, wanted] of Object.entries(dependencies)) {
    if (wanted !== version) fault(`${by} names ${name}@${wanted}, and the build uses ${version}`);
    const spec = `${name}@${wanted}`;
    needed.set(spec, [...(needed.get(spec) ?? []), by]);
  }
}
for (const platform of asked) {
  if (!platformNames.includes(platform)) fault(`${platform}: native/platforms.json has no such platform`);
  else need(librariesOf(platformManifest(platform).dependencies), platform);
}
need(librariesOf(peerDependencies), "llama-hooks");

function librariesOf(dependencies = {}) {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => name.startsWith("@node-llama-cpp/")));
}

try {
  for (const [spec, by] of needed) {
    if ((await publishedManifest(spec)) !== undefined) {
      console.log(`there    ${spec} (${by.join(", ")})`);
      continue;
    }
    const newest = await publishedManifest(spec.replace(/@[^@]*$/, ""));
    const has = newest === undefined ? "the registry does not have it at all" : `its newest is ${newest.version}`;
    fault(`${spec} (${by.join(", ")}); ${has}`);
  }
  console.log(faults === 0 ? `all are there in version ${version}` : `${faults} missing: nothing can be released`);
  process.exitCode = faults === 0 ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
