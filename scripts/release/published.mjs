// Packages that the registry has. The registry is the one that npm is configured for.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { npm } from "./npm.mjs";

/** A cache of this process's own: npm answers from the usual one if the registry is down. */
const cache = mkdtempSync(join(tmpdir(), "llama-hooks-release-"));
process.on("exit", () => rmSync(cache, { recursive: true, force: true }));

/**
 * The registry's manifest of NAME or NAME@VERSION; undefined if it has none. Throws if the registry cannot be asked.
 */
export async function publishedManifest(spec) {
  const { status, stdout, stderr } = await npm(["view", spec, "--json", "--prefer-online", `--cache=${cache}`]);
  // Older versions of npm end well, and print nothing, if the package is there but this version is not.
  if (status === 0) return stdout.trim() === "" ? undefined : JSON.parse(stdout);
  if (/\bE404\b/.test(stderr)) return undefined;
  throw new Error(`the registry cannot be asked for ${spec}: ${stderr.trim().split("\n")[0]}`);
}

/** "absent", "same" (published with this content) or "other" (published with another content). */
export async function stateOf({ manifest: { name, version }, integrity }) {
  const found = await publishedManifest(`${name}@${version}`);
  if (found === undefined) return "absent";
  return found.dist.integrity === integrity ? "same" : "other";
}

/** Waits until the registry serves a tarball that was uploaded: the upload may be answered before readers see it. */
export async function untilServed(tarball, seconds) {
  const end = performance.now() + seconds * 1000;
  for (let pause = 500; ; pause = Math.min(2 * pause, 15_000)) {
    const state = await stateOf(tarball);
    if (state !== "absent") return state;
    if (performance.now() + pause > end) return state;
    await setTimeout(pause);
  }
}
