// Compares two trees run by run: what happened in which order, and what hooks decided. A recording and a trace are
// compared by what both of them have. Must not: compare times or ids, or touch the page.
import { countsOf } from "./levels.js";

/** @import { Dispatch } from "./dispatches.js" */
/** @import { TraceModel, TraceNode } from "./model.js" */

/** @typedef {{ readonly text: string, readonly detail: string, readonly depth: number }} Step */
/** @typedef {{ readonly left: Step | null, readonly right: Step | null, readonly isSame: boolean }} Pair */

/** Steps of a run that are compared exactly. */
const mostSteps = 2000;

/**
 * The runs of both sides in order, each with its pairs of steps.
 * @param {TraceModel} left
 * @param {TraceModel} right
 * @returns {readonly { readonly name: string, readonly pairs: readonly Pair[], readonly differences: number }[]}
 */
export function compare(left, right) {
  const [ones, others] = [runsOf(left), runsOf(right)];
  const isMixed = left.isRecording !== right.isRecording;
  const isShown = isMixed ? isInBoth : left.isRecording ? () => true : isTraced;
  return Array.from({ length: Math.max(ones.length, others.length) }, (_, index) => {
    const pairs = paired(stepsOf(ones[index], isMixed, isShown), stepsOf(others[index], isMixed, isShown));
    return { name: `Run ${index + 1}`, pairs, differences: pairs.filter(({ isSame }) => !isSame).length };
  });
}

/** Runs that a program has started, and generations. @param {TraceModel} model */
function runsOf(model) {
  return model.roots
    .flatMap((root) => (root.kind === "session" || root.kind === "engine" ? root.children : [root]))
    .filter(({ kind }) => kind === "run" || kind === "generation")
    .toSorted((a, b) => a.begin - b.begin);
}

/** @param {TraceNode | undefined} run @param {boolean} isMixed true: only what recordings and traces have in common @param {(node: TraceNode) => boolean} isShown @returns {Step[]} */
function stepsOf(run, isMixed, isShown) {
  /** @type {Step[]} */
  const steps = [];
  /** @param {TraceNode} node @param {number} depth */
  const visit = (node, depth) => {
    // A recording does not name the tier of the run itself.
    const text = isMixed && node.kind === "run" ? "run" : stepName(node);
    steps.push({ text, detail: endOf(node), depth });
    if (!isMixed)
      for (const [name, text] of node.texts)
        if (text !== '""') steps.push({ text: name, detail: text, depth: depth + 1 });
    const own = !isMixed && (node.kind === "run" || node.kind === "generation") ? node.dispatches : [];
    const parts = [
      ...node.children.filter(isShown).map((child) => ({ at: child.begin, add: () => visit(child, depth + 1) })),
      ...own.filter(isReported).map((one) => ({ at: one.clockUs, add: () => steps.push(stepOf(one, depth + 1)) })),
    ];
    for (const { add } of parts.toSorted((a, b) => a.at - b.at)) if (steps.length < mostSteps) add();
  };
  if (run !== undefined) visit(run, 0);
  return steps;
}

/** Model calls of the run itself, and tools that ran: of refused calls and delegated runs, recordings and traces tell different parts. @param {TraceNode} node */
function isInBoth({ kind, facts }) {
  if (kind === "modelCall") return true;
  return kind === "toolCall" && !/^(refused|rejected_)/.test(String(facts["resultKind"]));
}

/** Saved traces have no calls that something else than a hook refused. @param {TraceNode} node */
function isTraced({ facts }) {
  return !String(facts["resultKind"]).startsWith("rejected_");
}

/** A decision that did something. @param {Dispatch} one */
function isReported(one) {
  const { vetoes, failures, changes } = countsOf(one);
  return vetoes + failures + changes > 0;
}

/** @param {Dispatch} one @param {number} depth @returns {Step} */
function stepOf(one, depth) {
  if (one.type !== "decision") return { text: one.point, detail: "", depth };
  const hooks = one.hooks
    .filter(({ outcome, error }) => outcome === "modified" || outcome === "cancelled" || error !== undefined)
    .map(({ name, outcome, fields, error }) =>
      [name, outcome, fields.join(", "), error?.code ?? ""].filter(Boolean).join(" "),
    );
  return {
    text: `${one.point}: ${one.action}`,
    detail: [...hooks, one.reason ?? ""].filter(Boolean).join("; "),
    depth,
  };
}

/** Saved traces have no names of refused calls. @param {TraceNode} node */
function stepName({ name, facts }) {
  if (facts["resultKind"] === "refused") return "refused call";
  return name.replace(/^(model call|run) \d.*/, "$1");
}

/** @param {TraceNode} node */
function endOf({ facts }) {
  const { finishReason, resultKind, code, limit } = facts;
  return [finishReason, resultKind, code, limit].filter((part) => typeof part === "string").join(" ");
}

/** The longest common steps stay beside each other. @param {readonly Step[]} ones @param {readonly Step[]} others @returns {Pair[]} */
function paired(ones, others) {
  const keys = [ones, others].map((steps) => steps.map(({ text, detail, depth }) => `${depth} ${text} ${detail}`));
  const [a = [], b = []] = keys;
  /** @type {Uint16Array[]} */
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const best =
        a[i] === b[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
      /** @type {Uint16Array} */ (lengths[i])[j] = best;
    }
  /** @type {Pair[]} */
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j];
    const goesLeft = i < a.length && (j >= b.length || at(lengths, i + 1, j) >= at(lengths, i, j + 1));
    const left = isSame || goesLeft ? (ones[i++] ?? null) : null;
    const right = isSame || !goesLeft ? (others[j++] ?? null) : null;
    pairs.push({ left, right, isSame });
  }
  return joined(pairs);
}

/** @param {readonly Uint16Array[]} lengths @param {number} i @param {number} j */
function at(lengths, i, j) {
  return lengths[i]?.[j] ?? 0;
}

/** Steps of the same kind that differ stand beside each other. @param {readonly Pair[]} pairs @returns {Pair[]} */
function joined(pairs) {
  /** @type {Pair[]} */
  const found = [];
  for (const pair of pairs) {
    const open =
      pair.right === null || pair.isSame ? undefined : found.findLast(({ isSame, right }) => isSame || right === null);
    const at = open === undefined || open.isSame ? -1 : found.indexOf(firstOpen(found, pair) ?? open);
    const partner = at < 0 ? undefined : found[at];
    if (partner !== undefined && partner.right === null && partner.left?.text === pair.right?.text)
      found[at] = { left: partner.left, right: pair.right, isSame: false };
    else found.push(pair);
  }
  return found;
}

/** The first step of the left side, since the last common one, that has no partner and the same name. @param {readonly Pair[]} found @param {Pair} pair */
function firstOpen(found, pair) {
  const from = found.findLastIndex(({ isSame }) => isSame) + 1;
  return found.slice(from).find(({ left, right }) => right === null && left?.text === pair.right?.text);
}
