// Builds native/fuzz with clang. Must not: touch the addon's own build folder.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildDir } from "../build/llama-paths.mjs";
import { buildNative } from "../build/native.mjs";

/** Also the folder of the native tests with AddressSanitizer, where clang is there: what both need is built once. */
export const fuzzDir = join(buildDir, "native-test-clang");
export const fuzzProgram = join(fuzzDir, "Release", "lh_fuzz");

export const fuzzVariables = {
  LH_BUILD_FUZZ: "ON",
  LH_WERROR: "ON",
  LH_SANITIZE: "address,undefined,fuzzer-no-link",
  CMAKE_C_COMPILER: "clang",
  CMAKE_CXX_COMPILER: "clang++",
};

/** Says in words which programs a build of the targets lacks; undefined if it lacks none. */
export function missingTools() {
  const program = "#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *data, size_t size) { return 0; }\n";
  const args = ["-x", "c", "-fsanitize=fuzzer,address,undefined", "-o", "/dev/null", "-"];
  const { error, status } = spawnSync("clang", args, { input: program });
  return error !== undefined || status !== 0 ? "clang with libFuzzer was not found" : undefined;
}

export async function buildFuzz() {
  await buildNative({ out: fuzzDir, variables: fuzzVariables, target: "lh_fuzz" });
}
