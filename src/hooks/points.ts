// The table of points with the converters of each point.
import { type PointInfo, type PointName, POINTS } from "../generated/points.js";
import { got, suggest } from "../base/check.js";
import { findPoint, pointNames } from "../base/point-names.js";
import { type Converter, fromWireConverter, toWireConverter } from "./shape.js";

/** A point and its converters. */
export interface Point {
  readonly info: PointInfo & { readonly tsName: PointName };
  /** Converts events from the wire. */
  readonly event: NonNullable<Converter["keys"]>;
  /** Converts answers to the wire. Includes the fields of the event, because an answer may repeat them. */
  readonly answer: NonNullable<Converter["keys"]>;
  /** The fields that an answer may have. */
  readonly answerKeys: readonly string[];
}

const made = new Map<PointName, Point>();

export function pointOf(name: PointName): Point {
  let point = made.get(name);
  if (point === undefined) made.set(name, (point = makePoint(POINTS[name])));
  return point;
}

/** Checks a point's name or number, in any spelling, as a caller gave it. */
export function checkPoint(name: unknown): Point {
  const found = findPoint(name);
  if (found !== undefined) return pointOf(found);
  const known = `known: ${pointNames.join(", ")}`;
  if (typeof name === "string") {
    throw new TypeError(`There is no hook point ${JSON.stringify(name)}${suggest(name, pointNames)}`);
  }
  if (typeof name === "number") throw new TypeError(`There is no hook point ${name}; ${known}`);
  throw new TypeError(`A hook point must be a name or a number, got ${got(name)}; ${known}`);
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
