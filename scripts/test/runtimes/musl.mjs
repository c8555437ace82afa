// Bun for musl, on a Linux with glibc beside which Debian's package musl lies. npm has no Node for musl.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDir } from "../../build/llama-paths.mjs";
import { ensureZig, zigCompiler, zigEnvironment } from "../../build/zig.mjs";
import { bunOf } from "./runtimes.mjs";

const platform = "linux-x64-musl";
const loader = "/lib/ld-musl-x86_64.so.1";
const bun = bunOf("linux-x64-musl");

export const musl = {
  ...bun,
  platform,
  env: () => ({ LD_LIBRARY_PATH: folderOfCxxLibrary() }),
  compiler: () => {
    ensureZig();
    return [...zigCompiler(platform, "cc"), "-O1"]; // its default brings a runtime for its checks
  },
};

/**
 * Bun needs GCC's C++ library, which Debian has for glibc alone. Of the objects of its archive, those that Bun needs
 * are linked with musl; they ask little of a C library.
 */
function folderOfCxxLibrary() {
  const folder = join(buildDir, "musl");
  const library = join(folder, "libstdc++.so.6");
  if (existsSync(library)) return folder;
  const archive = archiveOfGcc();
  if (!existsSync(loader) || archive === undefined) {
    throw new Error("musl or GCC's C++ library is not installed: apt-get install musl libstdc++-12-pic");
  }
  ensureZig();
  mkdirSync(folder, { recursive: true });
  const tables = execFileSync("objdump", ["-T", "-R", bun.program()], { encoding: "utf8", maxBuffer: 2 ** 28 });
  const needed = tables.matchAll(
    /(?:\*UND\*.*?| )(_Z(?:N?K?St|T[VI]N10__cxxabiv1)\w+|__(?:cxa|once|dynamic|gxx)_\w+)$/gm,
  );
  const ofMusl = /^__cxa_(finalize|thread_atexit_impl)$/;
  const names = [...new Set([...needed].map(([, name]) => name))].filter((name) => !ofMusl.test(name));
  const [program, ...target] = zigCompiler(platform, "cc");
  const rest = fileURLToPath(new URL("musl-lacks.c", import.meta.url));
  const how = ["-O2", "-fno-sanitize=all", "-s", "-shared", "-Wl,-soname,libstdc++.so.6", "-lunwind"];
  const wanted = names.map((name) => `-Wl,-u,${name}`);
  execFileSync(program, [...target, ...how, ...wanted, "-o", library, rest, archive], { env: zigEnvironment() });
  return folder;
}

function archiveOfGcc() {
  const folder = "/usr/lib/gcc/x86_64-linux-gnu";
  const versions = existsSync(folder) ? readdirSync(folder) : [];
  return versions.map((version) => join(folder, version, "libstdc++_pic.a")).find(existsSync);
}
