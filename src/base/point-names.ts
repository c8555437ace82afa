// The names of the points, in all spellings.
import { type PointName, POINTS, type PrePoint } from "../generated/points.js";

/** The names of all points, in order of their numbers. */
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
 * A point in any spelling: `"streamToken"`, its C name (`"ON_STREAM_TOKEN"`, with or without `ON_`, or with
 * `LH_HOOK_`), or its number. Every function that takes a point accepts all of them. Lists, events and results use
 * `"streamToken"`.
 */
export type AnyPoint = { [P in PointName]: Spelled<P> }[PointName];
/** A point whose handlers may cancel, in any spelling. */
export type AnyPrePoint = { [P in PrePoint]: Spelled<P> }[PrePoint];

/** The name of a point given in any spelling. */
export type PointOf<K extends AnyPoint> = { [P in PointName]: K extends Spelled<P> ? P : never }[PointName];

const byNumber = new Map<number, PointName>(pointNames.map((name) => [POINTS[name].number, name]));
const byText = new Map<string, PointName>(
  pointNames.flatMap((name) => [name, bare(POINTS[name].name), String(POINTS[name].number)].map((key) => [key, name])),
);

/** The name of a point. A number from a newer engine becomes a text. */
export function pointName(number: number): PointName {
  return byNumber.get(number) ?? (String(number) as PointName);
}

/** Returns the point that `value` names in any spelling ({@link AnyPoint}, or a number as text), if there is one. */
export function findPoint(value: unknown): PointName | undefined {
  if (typeof value === "number") return byNumber.get(value);
  return typeof value === "string" ? byText.get(bare(value)) : undefined;
}

/** A C name without the common prefix. Entropic's headers have their own prefix. */
function bare(name: string): string {
  return name.replace(/^(?:(?:LH|ENTROPIC)_HOOK_)?(?:ON_)?(?=[A-Z]+(?:_[A-Z]+)*$)/, "");
}
