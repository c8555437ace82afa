import { defineConfig } from "vitest/config";

const long = "test/**/*.long.test.ts"; // soaks, and comparisons over many random conversations

// Tests load real models: a file runs in a process of its own, and a slow machine gets time.
// `npm test` runs all but the long ones, `npm run test:long` those.
export default defineConfig(({ mode }) => ({
  test: {
    ...(mode === "long" ? { include: [long] } : { include: ["test/**/*.test.ts"], exclude: [long] }),
    pool: "forks",
    maxWorkers: "100%", // unset, vitest leaves one core idle: half of the machine where there are two
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
  },
}));
