// Tells whether a dispatch did something: a veto, a failure of a hook, a change. Must not: touch the page.

/** @import { Dispatch } from "./dispatches.js" */

/** @typedef {{ readonly vetoes: number, readonly failures: number, readonly changes: number }} Counts */

/** @param {Dispatch} dispatch @returns {Counts} */
export function countsOf(dispatch) {
  if (dispatch.type !== "decision") return { vetoes: 0, failures: 0, changes: 0 };
  const failures = dispatch.hooks.filter(({ outcome, error }) => error !== undefined && outcome !== "abandoned").length;
  const isVeto = dispatch.action === "cancelled" && dispatch.decidedBy !== null;
  return { vetoes: isVeto ? 1 : 0, failures, changes: dispatch.action === "modified" ? 1 : 0 };
}

/** The kind of a dispatch that matters most, for its colour. @param {Dispatch} dispatch */
export function levelOf(dispatch) {
  const { vetoes, failures, changes } = countsOf(dispatch);
  return vetoes > 0
    ? "veto"
    : failures > 0
      ? "failure"
      : changes > 0
        ? "change"
        : dispatch.type === "passed"
          ? "none"
          : "pass";
}
