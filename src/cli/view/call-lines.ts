// Keeps the order of a tool call's output: the call, then the trace of its hooks, then its result.
import type { PointName } from "../../index.js";
import { openingPoints } from "./call-points.js";

interface Waiting {
  readonly point: PointName;
  readonly lines: readonly string[];
}

/** Hooks decide before the call is shown, so the trace lines of a call wait here until it is. */
export class CallLines {
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #shown = new Set<string>();
  /** Calls whose result is shown; later trace lines do not wait. */
  readonly #ended = new Set<string>();

  /**
   * Makes the lines wait for the call. Returns false if its result is already shown; the caller then prints the lines.
   */
  hold(call: string, point: PointName, lines: readonly string[]): boolean {
    if (this.#ended.has(call)) return false;
    this.#waiting.set(call, [...(this.#waiting.get(call) ?? []), { point, lines }]);
    return true;
  }

  /** Returns true the first time; the caller then shows the call. */
  shows(call: string): boolean {
    const isNew = !this.#shown.has(call);
    this.#shown.add(call);
    return isNew;
  }

  /** Removes and returns waiting lines: "all", or those of the points that fire before the call runs. */
  take(call: string, which: "opening" | "all"): readonly string[] {
    const waiting = this.#waiting.get(call) ?? [];
    const isTaken = ({ point }: Waiting): boolean => which === "all" || openingPoints.has(point);
    this.#waiting.set(
      call,
      waiting.filter((one) => !isTaken(one)),
    );
    return waiting.filter(isTaken).flatMap(({ lines }) => lines);
  }

  end(call: string): void {
    this.#ended.add(call);
  }

  /** Returns the lines that still wait when the run ends, and forgets all calls. */
  rest(): readonly string[] {
    const lines = [...this.#waiting.values()].flat().flatMap((one) => one.lines);
    for (const one of [this.#waiting, this.#shown, this.#ended]) one.clear();
    return lines;
  }
}
