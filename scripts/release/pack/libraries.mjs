// llama.cpp's libraries for a platform, as node-llama-cpp publishes them: the installed package, or one fetched from
// the registry into build/libraries.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { npmCommand } from "../../build/npm-command.mjs";
import { buildDir, librariesIn, librariesPackage, nodeLlamaCpp, prebuiltLibraries } from "../../build/llama-paths.mjs";

const [npmProgram, ...npmFile] = npmCommand;
const npm = (args, options) =>
  execFileSync(npmProgram, [...npmFile, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  }).trim();

/**
 * The libraries of a platform in a version of their package: by default the pinned one, of the release of llama.cpp
 * that the addon is compiled for. Another one is for trying whether the addon links.
 */
export async function fetchLibraries(platform, version) {
  const { version: pinned, release } = nodeLlamaCpp();
  const linked = version ?? pinned;
  const installed = linked === pinned ? prebuiltLibraries(platform) : undefined;
  const libraries = installed ?? librariesIn(fetched(librariesPackage(platform), linked));
  if (version === undefined && libraries.release !== release) {
    throw new Error(`${librariesPackage(platform)}@${linked} holds llama.cpp ${libraries.release}, not ${release}`);
  }
  return { libraries, linked };
}

/** The package, in a folder that tells CMake where a package manager would put it. */
function fetched(name, version) {
  const folder = join(buildDir, "libraries", version, "node_modules", name);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    const tarball = npm(["pack", "--silent", `${name}@${version}`], { cwd: partial });
    execFileSync("tar", ["-xzf", tarball], { cwd: partial });
    renameSync(join(partial, "package"), folder);
  } catch (error) {
    const newest = newestOf(name);
    const advice =
      newest === undefined ? "" : ` (the newest there is ${newest}; --libraries ${newest} tries with that)`;
    throw new Error(`${name}@${version} cannot be had from the registry${advice}`, { cause: error });
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function newestOf(name) {
  try {
    return npm(["view", name, "version"]) || undefined;
  } catch {
    return undefined;
  }
}
