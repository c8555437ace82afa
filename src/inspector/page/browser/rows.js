// The rows of the tree that are open and match the filter. Must not: touch the page.

/** @import { TraceModel, TraceNode } from "./model.js" */

/** @typedef {{ readonly node: TraceNode, readonly level: number, readonly place: number, readonly size: number, readonly isOpen: boolean | null }} Row `isOpen` is null for a row without children */

/**
 * @param {TraceModel} model
 * @param {ReadonlySet<string>} closed ids of nodes whose children are hidden
 * @param {string} filter words that the row, or one below it, has
 * @param {boolean} decided only rows with a veto, change or failure
 * @returns {Row[]}
 */
export function rowsOf(model, closed, filter, decided) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const isFiltered = words.length > 0 || decided;
  const kept = isFiltered ? keptOf(model, words, decided) : null;
  /** @type {Row[]} */
  const rows = [];
  /** What is still to come, the next last. Runs may be nested more deeply than functions may call themselves. @type {Row[]} */
  const left = [];
  /** @param {readonly TraceNode[]} nodes @param {number} level */
  const add = (nodes, level) => {
    const shown = kept === null ? nodes : nodes.filter((node) => kept.has(node));
    for (const [index, node] of [...shown.entries()].toReversed()) {
      const isOpen = node.children.length === 0 ? null : !closed.has(node.id);
      left.push({ node, level, place: index + 1, size: shown.length, isOpen });
    }
  };
  add(model.roots, 1);
  for (let row = left.pop(); row !== undefined; row = left.pop()) {
    rows.push(row);
    if (row.isOpen === true) add(row.node.children, row.level + 1);
  }
  return rows;
}

/** The nodes that match, and those above them. @param {TraceModel} model @param {readonly string[]} words @param {boolean} decided @returns {ReadonlySet<TraceNode>} */
function keptOf(model, words, decided) {
  /** @type {Set<TraceNode>} */
  const kept = new Set();
  for (const node of model.nodes())
    if (matches(node, words, decided, model))
      for (let at = /** @type {TraceNode | null} */ (node); at !== null && !kept.has(at); at = at.parent) kept.add(at);
  return kept;
}

/** @param {TraceNode} node @param {readonly string[]} words @param {boolean} decided @param {TraceModel} model @returns {boolean} */
function matches(node, words, decided, model) {
  const { vetoes, changes, failures } = node.counts;
  return (
    (!decided || vetoes + changes + failures > 0 || node.isFailed || hasLevel(node, model)) && hasWords(node, words)
  );
}

/** @param {TraceNode} node @param {TraceModel} model */
function hasLevel(node, model) {
  if (node.kind !== "toolCall" && node.kind !== "modelCall") return false;
  return model.dispatches
    .of(node)
    .some((one) => one.type === "decision" && (one.action !== "proceed" || one.hooks.some(({ error }) => error)));
}

/** @param {TraceNode} node @param {readonly string[]} words */
function hasWords(node, words) {
  if (words.length === 0) return true;
  const { sessionId, runId, modelId, tier, toolName } = node.facts;
  const text = [node.name, node.kind, node.code, sessionId, runId, modelId, tier, toolName].join(" ").toLowerCase();
  if (words.every((word) => text.includes(word))) return true;
  return node.dispatches.some(
    (one) =>
      one.type === "decision" &&
      words.every(
        (word) =>
          one.point.toLowerCase().includes(word) || one.hooks.some(({ name }) => name.toLowerCase().includes(word)),
      ),
  );
}
