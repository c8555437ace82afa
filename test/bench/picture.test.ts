// The picture of the README is what the recorded results say.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { overheadPicture } from "../../bench/chart/overhead-picture.js";
import type { BenchResults } from "../../src/bench/results/results.js";

const read = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), "utf8");

test("docs/overhead.svg is drawn from the recorded results: node bench/draw-picture.mjs", async () => {
  const results = JSON.parse(await read("bench/results/2026-11-21-amd-epyc-2-cores.json")) as BenchResults;
  const picture = await read("docs/overhead.svg");
  expect(picture).toBe(overheadPicture(results));
  expect(picture.length).toBeLessThan(10_000);
  expect(picture).toContain("prefers-color-scheme: dark");
});
