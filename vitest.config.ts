import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

const long = "test/**/*.long.test.ts"; // soaks, and comparisons over many random conversations
/** The files of `npm test`, and of test/clients/node-22. */
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".long.test.ts") && !file.startsWith("real/"))
  .map((file) => ({ name: `test/${file}`, text: readFileSync(`test/${file}`, "utf8") }));
/** Files with storms, of which `npm test` takes a sample and `npm run test:long` all (test/support/amount.ts). */
const sampled = files.filter(
  ({ text }) => text.includes('/support/amount.js"') || /\b(?:chosenTemplates|isEveryTemplate)\b/.test(text),
);
/** Tests whose packages scripts/test/clients.mjs installs. */
const installed = "test/clients/node-22/**";
/** Files with packages that need Node 22 (test/support/integrations/node-22.ts), among them a client of OpenAI. */
const withNode22 = files.filter(({ text }) => /^import .* from "(ai|openai|.*\/(ai-sdk|node-22)\.js)"/m.test(text));
const libraries = path.join(process.env["LLAMA_HOOKS_CLIENTS"] ?? "", "libraries", "node_modules");
const inNode22 = {
  include: withNode22.map(({ name }) => name),
  alias: { ai: path.join(libraries, "ai"), openai: path.join(libraries, "openai") },
};
/** Tests that replace modules, which the files of a shared process have in common. */
const replacing = "test/download/waits.test.ts";
/** Tests with real models, for scripts/test/real.mjs. */
const real = "test/real/**/*.test.ts";
/** The factor by which a test may take longer than usual, in an emulator. */
const patience = Number(process.env["LLAMA_HOOKS_TEST_PATIENCE"] ?? 1);

// Each process that a test starts would read them, in 40 ms, and no test leaves this machine.
delete process.env["NODE_EXTRA_CA_CERTS"];

// Tests load real models: a slow machine gets time.
// `npm test` runs all but the long ones, `npm run test:long` those, `npm run test:real` those with real models.
export default defineConfig(({ mode }) => ({
  test: {
    pool: "forks",
    globalSetup: "test/support/model-folder.ts",
    maxWorkers: availableParallelism() + 1, // tests wait for processes and clocks, too
    testTimeout: 60_000 * patience,
    hookTimeout: 60_000 * patience,
    expect: { poll: { timeout: 45_000 * patience } }, // no verdict hangs on how loaded a machine is
    retry: 0,
    isolate: mode !== "test", // else files share a process for each core, which saves a quarter of the processor time
    ...(mode === "long" && {
      env: { LONG_TESTS: "yes" },
      projects: [
        { extends: true, test: { name: "storms", include: sampled.map(({ name }) => name), isolate: false } },
        { extends: true, test: { name: "long", include: [long] } },
      ],
    }),
    ...(mode === "node-22" && inNode22),
    ...(mode === "real" && { include: [real] }),
    ...(mode !== "test" && { testTimeout: 600_000 * patience }),
    ...(mode === "test" && {
      // Vitest begins with the project that is first in the alphabet, and within a project with what took longest.
      projects: [
        { extends: true, test: { name: "own process", include: [replacing], isolate: true } },
        {
          extends: true,
          test: { name: "shared process", include: ["test/**/*.test.ts"], exclude: [long, real, replacing, installed] },
        },
      ],
    }),
  },
}));
