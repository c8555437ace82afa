// Which points fire in an engine, and how often: for the demonstration. Must not: change anything.
import { type Engine, type PointName, POINTS } from "../../index.js";

const points = Object.keys(POINTS) as PointName[];

/** Counts from when it is made. */
export class PointCount {
  /** Of the hooks that count, so that a trace can leave them out. */
  static readonly hookName = "point-count";
  readonly #counts = new Map<PointName, number>();

  constructor(engine: Engine) {
    for (const point of points) {
      const count = (): void => void this.#counts.set(point, (this.#counts.get(point) ?? 0) + 1);
      engine.hooks.on(point, count, { observe: true, name: PointCount.hookName });
    }
  }

  /** In the order of the table: points with how often they fired, and those that did not. */
  summary(): { readonly fired: readonly (readonly [PointName, number])[]; readonly others: readonly PointName[] } {
    const fired = points.flatMap((point) => {
      const count = this.#counts.get(point);
      return count === undefined ? [] : [[point, count] as const];
    });
    return { fired, others: points.filter((point) => !this.#counts.has(point)) };
  }
}
