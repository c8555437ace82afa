import { expect, test } from "vitest";
import { POINTS } from "../../src/index.js";
import { pointRows } from "../support/schema.js";
import { definitions } from "./definitions.js";
import { fiveTests } from "./five-tests.js";

test("every point has the five tests", () => {
  const tested = definitions.map(({ point }) => POINTS[point].number).sort((a, b) => a - b);
  expect(tested).toEqual(pointRows.map(({ number }) => number).sort((a, b) => a - b));
});

for (const definition of definitions) fiveTests(definition);
