// Which dispatches belong to a call of a model or of a tool. Must not: touch the page.

/** @import { Decision } from "../../../generated/results.js" */
/** @import { CallLink, Passed } from "../../wire/wire.js" */
/** @import { TraceNode } from "./model.js" */

/** @typedef {Decision | Passed} Dispatch */
/** @typedef {{ readonly key: string, readonly sorted: readonly Dispatch[], readonly byCall: ReadonlyMap<string, readonly Dispatch[]> }} Index */

/** Points about one tool call: their decisions belong to the call, also before it begins and after it has ended. */
const ofCalls = new Set([
  "preToolCall",
  "toolValidation",
  "permissionCheck",
  "postToolCall",
  "toolResultPersist",
  "compactionMiss",
]);

export class Dispatches {
  /** The tool call of a dispatch. @type {Map<number, string>} */
  #calls = new Map();

  /** @param {CallLink} link */
  link({ seq, toolCallId }) {
    this.#calls.set(seq, toolCallId);
  }

  /** The tool call that a dispatch is about. @param {Dispatch} dispatch */
  callOf(dispatch) {
    const own = /** @type {{ toolCallId?: unknown }} */ (dispatch).toolCallId;
    return typeof own === "string" ? own : this.#calls.get(dispatch.seq);
  }

  /**
   * The dispatches of a node, in order: those of its tool call, or those of its run while it took place.
   * @param {TraceNode} node
   * @returns {readonly Dispatch[]}
   */
  of(node) {
    if (node.kind !== "toolCall" && node.kind !== "modelCall") return node.dispatches;
    const run = node.parent;
    if (run === null) return [];
    const { sorted, byCall } = this.#indexOf(run);
    const inTime = between(sorted, node.begin, node.end ?? Infinity);
    if (node.kind === "modelCall")
      return inTime.filter((one) => this.callOf(one) === undefined && !ofCalls.has(one.point));
    // A trace without values does not say which call a dispatch is about.
    return byCall.get(String(node.facts["toolCallId"])) ?? inTime.filter((one) => this.callOf(one) === undefined);
  }

  /** @param {TraceNode} run @returns {Index} */
  #indexOf(run) {
    const key = `${run.dispatches.length} ${this.#calls.size}`;
    if (run.index?.key === key) return run.index;
    const sorted = run.dispatches.toSorted((a, b) => a.clockUs - b.clockUs);
    /** @type {Map<string, Dispatch[]>} */
    const byCall = new Map();
    for (const one of sorted) {
      const call = this.callOf(one);
      if (call === undefined) continue;
      const there = byCall.get(call);
      if (there === undefined) byCall.set(call, [one]);
      else there.push(one);
    }
    return (run.index = { key, sorted, byCall });
  }
}

/** The dispatches of a time. @param {readonly Dispatch[]} sorted @param {number} begin @param {number} end */
function between(sorted, begin, end) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.clockUs ?? 0) >= begin) high = middle;
    else low = middle + 1;
  }
  /** @type {Dispatch[]} */
  const found = [];
  for (let index = low; index < sorted.length; index++) {
    const one = sorted[index];
    if (one === undefined || one.clockUs > end) break;
    found.push(one);
  }
  return found;
}
