// The addon of a platform's package: builds it, strips it, and checks its requirements against the stated ones.
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir, thisPlatform } from "../llama-paths.mjs";
import { buildNative, findProblems, isUpToDate } from "../native-build.mjs";

/** Debian's cross compilers, by platform. */
const cross = {
  "linux-arm64": { prefix: "aarch64-linux-gnu-", processor: "aarch64" },
};

/** The versions that find-addon.ts states for older systems. */
const newest = { GLIBC: "2.34", GLIBCXX: "3.4.30" };

/** Builds for a platform and puts its files, stripped, into `folder`. */
export async function writeAddon(platform, folder) {
  const problems = findProblems();
  if (problems.length > 0) throw new Error(`the addon cannot be built here:\n  - ${problems.join("\n  - ")}`);
  const out = platform === thisPlatform ? buildDir : join(buildDir, platform);
  if (platform !== thisPlatform) await buildNative({ out, platform, variables: crossVariables(platform) });
  else if (!isUpToDate()) await buildNative();
  const prefix = platform === thisPlatform ? "" : cross[platform].prefix;
  for (const name of ["llama_hooks.node", "llama_hooks_loader.node", "llama_hooks_host", "llama_hooks_rpc.so"]) {
    const file = join(folder, name);
    copyFileSync(join(out, "Release", name), file);
    execFileSync(`${prefix}strip`, [platform.startsWith("darwin") ? "-x" : "--strip-unneeded", file]);
    if (platform.startsWith("linux")) checkNeeds(`${prefix}objdump`, file);
  }
}

function crossVariables(platform) {
  const known = cross[platform];
  if (known === undefined) throw new Error(`${platform} cannot be built on ${thisPlatform}: pack it on such a machine`);
  return {
    CMAKE_SYSTEM_NAME: "Linux",
    CMAKE_SYSTEM_PROCESSOR: known.processor,
    CMAKE_C_COMPILER: `${known.prefix}gcc`,
    CMAKE_CXX_COMPILER: `${known.prefix}g++`,
  };
}

/** Checks that a file requires no newer version of a library than stated. */
function checkNeeds(objdump, file) {
  const text = execFileSync(objdump, ["-T", file], { encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const [, library, version] of text.matchAll(/\b(GLIBC|GLIBCXX)_(\d[\d.]*)/g)) {
    if (version.localeCompare(newest[library], "en", { numeric: true }) > 0) {
      throw new Error(
        `${file} needs ${library}_${version}, newer than ${newest[library]}: build it on an older system`,
      );
    }
  }
}
