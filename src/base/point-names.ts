// The names of the points. Must not: say anything that the table does not.
import { type PointName, POINTS } from "../generated/points.js";

/** The names of all points, by number. */
export const pointNames = Object.freeze(Object.keys(POINTS)) as readonly PointName[];

const byNumber = new Map<number, PointName>(pointNames.map((name) => [POINTS[name].number, name]));

/** The name of a point, or its number as a text when it is of a newer engine. */
export function pointName(number: number): PointName {
  return byNumber.get(number) ?? (String(number) as PointName);
}
