// Builds llama-server and llama-perplexity from node-llama-cpp's bundle, once, with its prebuilt libraries, and prints
// the path of llama-server: references for P25, test/remote/llama-server.test.ts and test/real. Takes some 80 seconds
// on two cores. Must not: download anything, or touch the addon's own build folder.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { buildDir, ensureWholeSource, prebuiltLibraries, projectDir } from "./llama-paths.mjs";

const folder = join(buildDir, "llama-server");
const programs = ["llama-server", "llama-perplexity"].map((name) => join(folder, "bin", name));

function run(command, ...args) {
  // stdout is for the path only.
  const { status } = spawnSync(command, args, { stdio: ["ignore", 2, "inherit"] });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`);
}

if (!programs.every((program) => existsSync(program))) {
  const libraries = prebuiltLibraries();
  if (libraries === undefined) throw new Error("node-llama-cpp has no libraries for this machine: npm ci");
  rmSync(folder, { recursive: true, force: true });
  const values = { CMAKE_BUILD_TYPE: "Release", SOURCE: ensureWholeSource(), LIBRARIES: libraries.folder };
  const options = Object.entries(values).map(([name, value]) => `-D${name}=${value}`);
  run("cmake", "-S", join(projectDir, "scripts", "build", "llama-programs"), "-B", folder, ...options);
  run("cmake", "--build", folder, "-j", String(availableParallelism()));
}
console.log(programs[0]);
