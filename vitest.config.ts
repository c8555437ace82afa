import { defineConfig } from "vitest/config";

const long = "test/**/*.long.test.ts"; // soaks, and comparisons over many random conversations
/** What `npm run test:long` runs: also the tests of templates, which then take every template and not a sample. */
const inLong = { include: [long, "test/templates/*.test.ts"], env: { EVERY_TEMPLATE: "yes" } };

// Tests load real models: a file runs in a process of its own, and a slow machine gets time.
// `npm test` runs all but the long ones, `npm run test:long` those.
export default defineConfig(({ mode }) => ({
  test: {
    ...(mode === "long" ? inLong : { include: ["test/**/*.test.ts"], exclude: [long] }),
    pool: "forks",
    maxWorkers: "100%", // unset, vitest leaves one core idle: half of the machine where there are two
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
  },
}));
