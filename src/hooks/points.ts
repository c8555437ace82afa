// The table of points, made ready for calls. Must not: say anything about points that the table does not.
import { type PointInfo, type PointName, POINTS } from "../generated/points.js";
import { got, suggest } from "../base/check.js";
import { findPoint, pointNames } from "../base/point-names.js";
import { type Converter, fromWireConverter, toWireConverter } from "./shape.js";

/** A point and its conversions. */
export interface Point {
  readonly info: PointInfo & { readonly tsName: PointName };
  /** Of the event, from the wire. */
  readonly event: NonNullable<Converter["keys"]>;
  /** Of an answer, to the wire; the fields of the event too, because an answer may repeat them. */
  readonly answer: NonNullable<Converter["keys"]>;
  /** What an answer may change or say. */
  readonly answerKeys: readonly string[];
}

const made = new Map<PointName, Point>();

export function pointOf(name: PointName): Point {
  let point = made.get(name);
  if (point === undefined) made.set(name, (point = makePoint(POINTS[name])));
  return point;
}

/** Checks the name of a point that a caller gave, in any of its spellings. */
export function checkPoint(name: unknown): Point {
  const found = findPoint(name);
  if (found !== undefined) return pointOf(found);
  const known = `known: ${pointNames.join(", ")}`;
  if (typeof name === "string") {
    throw new TypeError(`There is no hook point ${JSON.stringify(name)}${suggest(name, pointNames)}`);
  }
  if (typeof name === "number") throw new TypeError(`There is no hook point ${name}; ${known}`);
  throw new TypeError(`A hook point is given by name or number, got ${got(name)}; ${known}`);
}

function makePoint(info: PointInfo): Point {
  const answer = { ...info.context.p, ...info.answer.p };
  return {
    info: info as Point["info"],
    event: fromWireConverter(info.context)?.keys ?? new Map(),
    answer: toWireConverter({ p: answer })?.keys ?? new Map(),
    answerKeys: [...info.mutable, ...info.answerOnly],
  };
}
