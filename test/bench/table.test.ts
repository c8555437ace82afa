import { expect, test } from "vitest";
import { plainPaint } from "../../src/base/paint.js";
import { decodeText } from "../../src/bench/text/decode-table.js";
import { benchResults, smallBenchResults, withRatios } from "../support/bench-results.js";

test("figures within the noise are marked, and a line below says what the mark means", () => {
  const text = decodeText(withRatios(smallBenchResults(), [0.99, 1.01, 0.98]), plainPaint);
  expect(text).toMatch(/^awaited hook .* ~0\.990 +in noise$/m);
  expect(text).toMatch(/\n~ within the noise: some rounds were faster, and others slower$/);
  expect(decodeText(withRatios(smallBenchResults(), [0.97, 0.99, 0.98]), plainPaint)).not.toContain("~");
});

test("a ratio to the plain loop is marked, too", () => {
  const text = decodeText(withRatios(benchResults(), [0.99, 1.01, 0.98]), plainPaint);
  expect(text).toMatch(/^awaited hook .* ~0\.990 /m);
});
