// The addon of a platform's package: builds it, strips it, and checks what it needs of a system.
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  buildDir,
  cmakeVariables,
  ensureWholeSource,
  librariesPackage,
  thisPlatform,
} from "../../build/llama-paths.mjs";
import { buildNative, findProblems, isUpToDate, llamaOrigin } from "../../build/native.mjs";
import { targets } from "../../build/zig.mjs";
import { fetchLibraries } from "./libraries.mjs";
import { inspect, strip } from "./inspect.mjs";

/** Debian's cross compilers, by platform. GCC's: llama.cpp's libraries for Linux are built with its C++ library. */
const debian = {
  "linux-arm64": { prefix: "aarch64-linux-gnu-", processor: "aarch64" },
};

/**
 * Builds for a platform and puts its files into `folder`. `version`: of llama.cpp's package, if not the pinned one.
 * Returns the version of llama.cpp's package that it is linked with; undefined if its libraries are among the files.
 */
export async function writeAddon(platform, folder, version) {
  const isWhole = librariesPackage(platform) === undefined;
  const problems = findProblems({ llama: isWhole ? "source" : "prebuilt", zig: isBuiltByZig(platform) });
  if (problems.length > 0) throw new Error(`the addon cannot be built here:\n  - ${problems.join("\n  - ")}`);
  const { out, linked } = isWhole ? await buildWhole(platform) : await buildAgainst(platform, version);
  for (const name of readdirSync(join(out, "Release"))) {
    if (!isOurs(name) && !(isWhole && isOfLlama(name))) continue;
    const file = join(folder, name);
    copyFileSync(join(out, "Release", name), file);
    if (name.endsWith(".lib")) continue;
    strip(platform, file, debian[platform]?.prefix);
    inspect(platform, file, debian[platform]?.prefix);
  }
  return linked;
}

/** Zig builds for other systems than this one, and for those where llama.cpp has to be built, too. */
function isBuiltByZig(platform) {
  return debian[platform] === undefined && (platform !== thisPlatform || librariesPackage(platform) === undefined);
}

/**
 * Whether a file of the build goes into each package: not debugger's data or what tests build. Libraries with hooks are
 * linked with llama_hooks.lib on Windows.
 */
function isOurs(name) {
  return /^llama_hooks(_loader)?\.node$|^llama_hooks\.lib$|^llama_hooks_host(\.exe)?$|^llama_hooks_rpc\.(so|dll)$/.test(
    name,
  );
}

/** Whether a file is one of llama.cpp's libraries, for the packages that bring them. */
function isOfLlama(name) {
  return /^(lib)?(llama|ggml|ggml-[\w.-]+)\.(so|dylib|dll)$/.test(name);
}

/** Builds llama.cpp, too, with Zig: no published libraries work with our compiler. */
async function buildWhole(platform) {
  const out = join(buildDir, "platforms", `${platform}-package`);
  const variables = {
    LH_LLAMA: "source",
    LH_LLAMA_SOURCE_DIR: ensureWholeSource(),
    GGML_CPU_ALL_VARIANTS: "ON", // one for each generation of processors, of which ggml chooses
    GGML_OPENMP: "OFF", // threads are the engine's own (llama_attach_threadpool)
    GGML_CCACHE: "OFF",
  };
  await buildNative({ out, zig: platform, variables });
  return { out, linked: undefined };
}

/** Builds against the libraries that node-llama-cpp publishes. */
async function buildAgainst(platform, version) {
  const { libraries, linked } = await fetchLibraries(platform, version);
  if (platform === thisPlatform && version === undefined) {
    if (llamaOrigin() === "source") {
      throw new Error(`the package of ${platform} takes llama.cpp from ${librariesPackage()}: unset LLAMA_HOOKS_LLAMA`);
    }
    if (!isUpToDate()) await buildNative();
    return { out: buildDir, linked };
  }
  const out = join(buildDir, "platforms", `${platform}-package`);
  const variables = { ...cmakeVariables(libraries), LH_LLAMA: "prebuilt" };
  const { prefix, processor } = debian[platform] ?? {};
  if (platform === thisPlatform) {
    await buildNative({ out, variables });
  } else if (prefix !== undefined) {
    const compilers = {
      CMAKE_SYSTEM_NAME: "Linux",
      CMAKE_SYSTEM_PROCESSOR: processor,
      CMAKE_C_COMPILER: `${prefix}gcc`,
      CMAKE_CXX_COMPILER: `${prefix}g++`,
    };
    await buildNative({ out, variables: { ...variables, ...compilers } });
  } else if (platform in targets) {
    // Libraries of another release lack functions, which a program then looks for when it runs.
    const trial = version !== undefined && { CMAKE_EXE_LINKER_FLAGS: "-undefined dynamic_lookup" };
    await buildNative({ out, zig: platform, variables: { ...variables, ...trial } });
  } else {
    throw new Error(`${platform} cannot be built on ${thisPlatform}: pack it on such a machine`);
  }
  return { out, linked };
}
