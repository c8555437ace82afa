// A release: its tarballs in the order in which they are published, and everything that must not be published so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { projectDir } from "../build/llama-paths.mjs";
import { platformPackage } from "./pack/manifests.mjs";
import { run } from "./npm.mjs";
import { publishedManifest } from "./published.mjs";
import { readTarballs } from "./tarballs.mjs";

/**
 * The tarballs of `packages`, built from `clone`, for these platforms. `problems`: sentences; with one, publish none.
 */
export async function releaseOf(packages, clone, platforms) {
  const own = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
  const tarballs = readTarballs(packages);
  const wanted = [...platforms.map(platformPackage), own.name];
  const problems = await clonesProblems(clone);
  const order = [];
  for (const name of wanted) {
    const found = tarballs.filter(({ manifest }) => manifest.name === name);
    if (found.length === 1) order.push(found[0]);
    else problems.push(`${packages} has ${found.length} tarballs of ${name}, and 1 is needed`);
  }
  for (const { manifest } of tarballs) {
    if (!wanted.includes(manifest.name)) problems.push(`${manifest.name} is no package of this release`);
  }
  for (const { manifest } of order) problems.push(...manifestProblems(manifest, own, wanted.slice(0, -1)));
  problems.push(...(await Promise.all(order.map(missingOf))).flat());
  return { order, problems };
}

/** The faults of the clone, by scripts/check/publish.mjs: npm asks it only for a folder, and these are tarballs. */
async function clonesProblems(clone) {
  const { status, stderr } = await run([process.execPath, join(projectDir, "scripts", "check", "publish.mjs"), clone]);
  return status === 0 ? [] : stderr.trim().split("\n");
}

/** The dependencies of a package that the registry does not have. */
async function missingOf({ manifest: { name, dependencies = {} } }) {
  const specs = Object.entries(dependencies).map(([other, version]) => `${other}@${version}`);
  const found = await Promise.all(specs.map(publishedManifest));
  return specs
    .filter((_, i) => found[i] === undefined)
    .map((spec) => `${name} needs ${spec}, which the registry does not have`);
}

function* manifestProblems(manifest, own, platformPackages) {
  const { name, version, repository, optionalDependencies = {} } = manifest;
  if (version !== own.version) yield `${name} has version ${version}, and package.json has ${own.version}`;
  if (manifest.private) yield `${name} is private: it was packed before package.json was filled in`;
  // The registry compares it with the provenance.
  else if (!isDeepStrictEqual(repository, own.repository)) yield `${name} has another repository than package.json`;
  if (name !== own.name) return;
  const needed = Object.fromEntries(platformPackages.map((one) => [one, own.version]));
  const missing = Object.keys(needed).filter((one) => optionalDependencies[one] !== own.version);
  const others = Object.keys(optionalDependencies).filter((one) => !(one in needed));
  if (missing.length > 0) yield `${name} does not name ${missing.join(", ")} in version ${own.version}`;
  if (others.length > 0) yield `${name} names ${others.join(", ")}, which this release does not have`;
}
