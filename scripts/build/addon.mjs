// Builds the addon, always and incrementally: `node scripts/build/addon.mjs [--tests] [--bench] [--sanitize LIST]
// [--out FOLDER] [--verbose]`. A sanitized build gets a separate folder.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildDir } from "./llama-paths.mjs";
import { buildNative, findProblems } from "./native.mjs";

const { values } = parseArgs({
  options: {
    tests: { type: "boolean", default: false },
    bench: { type: "boolean", default: false },
    sanitize: { type: "string", default: "" },
    out: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

const standard = values.sanitize === "" ? buildDir : join(buildDir, values.sanitize.replaceAll(",", "-"));
const variables = {
  LH_BUILD_TESTS: values.tests ? "ON" : "OFF",
  LH_BUILD_BENCH: values.bench ? "ON" : "OFF",
  LH_SANITIZE: values.sanitize,
};

const problems = findProblems();
if (problems.length > 0) {
  console.error(`llama-hooks cannot be built here:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
  process.exit(1);
}
try {
  await buildNative({
    out: values.out === undefined ? standard : resolve(values.out),
    variables,
    verbose: values.verbose,
  });
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
