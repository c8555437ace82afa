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
  /** @type {Row[]} */
  const rows = [];
  /** @param {readonly TraceNode[]} nodes @param {number} level */
  const visit = (nodes, level) => {
    const shown = isFiltered ? nodes.filter((node) => matches(node, words, decided, model)) : nodes;
    for (const [index, node] of shown.entries()) {
      const isOpen = node.children.length === 0 ? null : !closed.has(node.id);
      rows.push({ node, level, place: index + 1, size: shown.length, isOpen });
      if (isOpen === true) visit(node.children, level + 1);
    }
  };
  visit(model.roots, 1);
  return rows;
}

/** @param {TraceNode} node @param {readonly string[]} words @param {boolean} decided @param {TraceModel} model @returns {boolean} */
function matches(node, words, decided, model) {
  const { vetoes, changes, failures } = node.counts;
  const own =
    (!decided || vetoes + changes + failures > 0 || node.isFailed || hasLevel(node, model)) && hasWords(node, words);
  return own || node.children.some((child) => matches(child, words, decided, model));
}

/** @param {TraceNode} node @param {TraceModel} model */
function hasLevel(node, model) {
  if (node.kind !== "toolCall" && node.kind !== "modelCall") return false;
  return model
    .dispatchesOf(node)
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
