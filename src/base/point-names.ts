// The names of the points. Must not: say anything that the table does not.
import { type PointName, POINTS, type PrePoint } from "../generated/points.js";

/** The names of all points, by number. */
export const pointNames = Object.freeze(Object.keys(POINTS)) as readonly PointName[];

type CName<P extends PointName> = (typeof POINTS)[P]["name"];
type WithoutOn<C extends string> = C extends `ON_${infer Rest}` ? Rest : C;
type Spelled<P extends PointName> =
  | P
  | CName<P>
  | WithoutOn<CName<P>>
  | `ON_${WithoutOn<CName<P>>}`
  | `LH_HOOK_${CName<P>}`
  | (typeof POINTS)[P]["number"];

/**
 * A point, however it is named: `"streamToken"`, as in C (`"ON_STREAM_TOKEN"`, with or without `ON_`, or with
 * `LH_HOOK_`), or by number. Wherever a point is named, each of them will do; lists, events and results say `"streamToken"`.
 */
export type AnyPoint = { [P in PointName]: Spelled<P> }[PointName];
/** The same, of points whose handlers may cancel. */
export type AnyPrePoint = { [P in PrePoint]: Spelled<P> }[PrePoint];

/** The name of a point that was named in any way. */
export type PointOf<K extends AnyPoint> = { [P in PointName]: K extends Spelled<P> ? P : never }[PointName];

const byNumber = new Map<number, PointName>(pointNames.map((name) => [POINTS[name].number, name]));
const byText = new Map<string, PointName>(
  pointNames.flatMap((name) => [name, bare(POINTS[name].name), String(POINTS[name].number)].map((key) => [key, name])),
);

/** The name of a point, or its number as a text when it is of a newer engine. */
export function pointName(number: number): PointName {
  return byNumber.get(number) ?? (String(number) as PointName);
}

/** The point that is named by `value` in any way ({@link AnyPoint}; a number may be a text, too), if there is one. */
export function findPoint(value: unknown): PointName | undefined {
  if (typeof value === "number") return byNumber.get(value);
  return typeof value === "string" ? byText.get(bare(value)) : undefined;
}

/** A name in C without what all of them share; Entropic's headers have a prefix of their own. */
function bare(name: string): string {
  return name.replace(/^(?:(?:LH|ENTROPIC)_HOOK_)?(?:ON_)?(?=[A-Z]+(?:_[A-Z]+)*$)/, "");
}
