import { expect, test } from "vitest";
import { POINTS } from "../../src/index.js";
import { pointRows } from "../support/schema.js";
import { definitions } from "./definitions.js";
import { fiveTests } from "./five-tests.js";

test("every point of the contract has the five tests", () => {
  expect(Object.keys(definitions).sort()).toEqual(
    Object.values(definitions)
      .map(({ point }) => point)
      .sort(),
  );
  const tested = Object.values(definitions).map(({ point }) => POINTS[point].number);
  expect(tested.sort((a, b) => a - b)).toEqual(pointRows.map(({ number }) => number).sort((a, b) => a - b));
});

for (const definition of Object.values(definitions)) fiveTests(definition);
