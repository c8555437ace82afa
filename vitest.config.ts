import { defineConfig } from "vitest/config";

const long = "test/**/*.long.test.ts"; // soaks, and comparisons over many random conversations
/** What `npm run test:long` runs: also the tests of templates, which then take every template and not a sample. */
const inLong = { include: [long, "test/templates/*.test.ts"], env: { EVERY_TEMPLATE: "yes" } };
/** Tests that replace modules, which the files of a shared process have in common. */
const replacing = "test/download/waits.test.ts";

// Tests load real models: a slow machine gets time.
// `npm test` runs all but the long ones, `npm run test:long` those.
export default defineConfig(({ mode }) => ({
  test: {
    pool: "forks",
    maxWorkers: "100%", // unset, vitest leaves one core idle: half of the machine where there are two
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    isolate: mode === "long", // else files share a process for each core, which saves a quarter of the processor time
    ...(mode === "long" && inLong),
    ...(mode !== "long" && {
      projects: [
        { extends: true, test: { name: "all", include: ["test/**/*.test.ts"], exclude: [long, replacing] } },
        { extends: true, test: { name: "own process", include: [replacing], isolate: true } },
      ],
    }),
  },
}));
