// Counts, for the demonstration, how often each point fires in an engine.
import { type Engine, type PointName, POINTS } from "../../index.js";

const points = Object.keys(POINTS) as PointName[];

/** Counts from its construction on. */
export class PointCount {
  /** The name of the counting hooks, so that a trace can omit them. */
  static readonly hookName = "point-count";
  readonly #counts = new Map<PointName, number>();

  constructor(engine: Engine) {
    for (const point of points) {
      const count = (): void => void this.#counts.set(point, (this.#counts.get(point) ?? 0) + 1);
      engine.hooks.on(point, count, { observe: true, name: PointCount.hookName, fields: [] });
    }
  }

  /** The points that fired, with their counts, and the points that did not, both in the order of the table. */
  summary(): { readonly fired: readonly (readonly [PointName, number])[]; readonly others: readonly PointName[] } {
    const fired = points.flatMap((point) => {
      const count = this.#counts.get(point);
      return count === undefined ? [] : [[point, count] as const];
    });
    return { fired, others: points.filter((point) => !this.#counts.has(point)) };
  }
}
