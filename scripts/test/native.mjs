// The native tests (CTest), built with sanitizers: `node scripts/test/native.mjs [plain] [address] [thread]`, by
// default the latter two. Where clang is there, `address` is built with it, in the folder that fuzzing continues in
// (scripts/fuzz). Must not: touch the addon's own build folder.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fuzzDir, fuzzVariables, missingTools } from "../fuzz/build.mjs";
import { buildNative } from "../build/native.mjs";
import { buildDir } from "../build/llama-paths.mjs";

const SANITIZERS = { plain: "", address: "address,undefined", thread: "thread" };

/** The model that engine_abi_test expects, and beside it the reranker of engine_models_test. */
async function writeModel() {
  const { writeEmbeddingModel, writeScriptModel } = await import("../../dist/testing/index.js");
  const folder = join(buildDir, "native-test");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "script.gguf");
  const endless = [{ text: " and on", endless: true }];
  await writeScriptModel(path, { replies: ["One two three."], scripts: [{ when: "ENDLESS", replies: endless }] });
  await writeEmbeddingModel(join(folder, "reranker.gguf"), { kind: "decoder", reranks: true });
  return path;
}

/** The model that engine_aborts_test and engine_loads_test read parts of: 40 MB of random weights. */
async function writeBigModel() {
  const { writeSyntheticModel } = await import("../../dist/testing/index.js");
  const path = join(buildDir, "native-test", "big.gguf");
  const shape = { layers: 4, embedding: 512, heads: 8, kvHeads: 4, feedForward: 2048, vocabulary: 4000 };
  await writeSyntheticModel(path, shape, { quantization: "F16" });
  return path;
}

function ctest(folder, name) {
  const command = ["ctest", "--test-dir", folder, "--output-on-failure", "--parallel", "2"];
  // ThreadSanitizer needs the address space as it was before kernels randomised more of it.
  const [program, ...rest] = name === "thread" ? ["setarch", "-R", ...command] : command;
  return spawnSync(program, rest, { stdio: "inherit" }).status === 0;
}

const chosen = process.argv.slice(2);
for (const name of chosen) {
  if (!(name in SANITIZERS)) throw new TypeError(`${name}: one of ${Object.keys(SANITIZERS).join(", ")} is needed`);
}
const model = await writeModel();
const bigModel = await writeBigModel();
for (const name of chosen.length > 0 ? chosen : ["address", "thread"]) {
  console.log(`\n-- ${name}`);
  const withClang = name === "address" && missingTools() === undefined;
  const out = withClang ? fuzzDir : join(buildDir, `native-test-${name}`);
  const variables = {
    LH_BUILD_TESTS: "ON",
    LH_WERROR: "ON",
    LH_SANITIZE: SANITIZERS[name],
    LH_TEST_MODEL: model,
    LH_TEST_BIG_MODEL: bigModel,
    ...(withClang && fuzzVariables),
  };
  await buildNative({ out, variables, target: "lh_tests" });
  if (!ctest(out, name)) process.exitCode = 1;
}
