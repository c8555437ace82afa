// Every damaged model file of test/support/mutated-gguf.ts, in child processes.
import { expect, test } from "vitest";
import { allMutants, faults, tryAll, useless } from "../support/models/mutants.js";
import { tempDir } from "../support/engine.js";

test("no damaged key or tensor ends the process, hangs it or is INTERNAL", async () => {
  const folder = await tempDir();
  const mutants = await allMutants(folder);
  const trials = await tryAll(mutants, folder);
  const counts = new Map<string, number>();
  for (const { end } of trials) counts.set(end, (counts.get(end) ?? 0) + 1);
  console.log(`${trials.length} files:`, Object.fromEntries([...counts].sort((a, b) => b[1] - a[1])));
  expect(useless(trials)).toEqual([]);
  expect(faults(trials)).toEqual([]);
}, 3_600_000);
