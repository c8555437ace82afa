// Builds llama-server from node-llama-cpp's bundle, once, for P25 and test/remote/llama-server.test.ts, and prints its path.
// Takes some fifteen minutes on two cores. Must not: download anything, or touch the addon's own build folder.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { buildDir, ensureWholeSource, nodeLlamaCpp } from "./llama-paths.mjs";

const folder = join(buildDir, "llama-server");
const program = join(folder, "bin", "llama-server");

function run(command, ...args) {
  const { status } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`);
}

if (!existsSync(program)) {
  if (nodeLlamaCpp() === undefined) throw new Error("node-llama-cpp is not installed: npm ci");
  rmSync(folder, { recursive: true, force: true });
  const options = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
    // The page of the server is downloaded otherwise.
    "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF",
  ];
  run("cmake", "-S", ensureWholeSource(), "-B", folder, ...options);
  run("cmake", "--build", folder, "--target", "llama-server", "-j", String(availableParallelism()));
}
console.log(program);
