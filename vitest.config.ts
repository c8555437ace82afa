import { defineConfig } from "vitest/config";

// Tests load real models: a file runs in a process of its own, and a slow machine gets time.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: "100%", // unset, vitest leaves one core idle: half of the machine where there are two
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
  },
});
