import { expect, test } from "vitest";
import { POINTS } from "../../src/index.js";
import { firingRows } from "../support/schema.js";
import { definitions } from "./definitions.js";
import { fiveTests } from "./five-tests.js";

test("every point that fires in this version has the five tests", () => {
  const tested = definitions.map(({ point }) => POINTS[point].number).sort((a, b) => a - b);
  expect(tested).toEqual(firingRows.map(({ number }) => number).sort((a, b) => a - b));
});

for (const definition of definitions) fiveTests(definition);
