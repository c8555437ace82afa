// The details of the selected row: times, tokens, how it ended, and each decision with its hooks and values.
import { el, factList } from "./dom.js";
import { clockTime, duration, number, plural, pretty } from "./format.js";
import { levelOf } from "./levels.js";
import { valueTable } from "./values.js";

/** @import { Decision, HookRecord } from "../../../generated/results.js" */
/** @import { Values } from "../../wire/wire.js" */
/** @import { Dispatch } from "./dispatches.js" */
/** @import { TraceModel, TraceNode } from "./model.js" */
/** @import { Child } from "./dom.js" */

/** @typedef {(seq: number) => Promise<Values | null>} ReadValues */

const kinds = {
  session: "Session",
  run: "Run",
  generation: "Generation",
  modelCall: "Model call",
  toolCall: "Tool call",
  plan: "Plan",
  embedding: "Embedding",
  rerank: "Reranking",
  modelLoad: "Model",
  engine: "Engine",
};
/** Decisions that are shown at once; a button shows more. */
const atOnce = 200;

/**
 * @param {TraceModel} model
 * @param {TraceNode} node
 * @param {ReadValues | null} readValues null: nothing but the trace is there
 */
export function detailsOf(model, node, readValues) {
  const dispatches = model.dispatches.of(node);
  const decisions = dispatches.filter(({ type }) => type === "decision");
  return [
    el("h2", {}, el("small", {}, kinds[node.kind]), node.name),
    factList(factsOf(model, node)),
    ...node.texts.flatMap(([name, json]) => [el("h3", {}, name), el("pre", {}, pretty(json))]),
    !model.isRecording || dispatches.length > 0
      ? el("h3", {}, dispatches.length === 0 ? "No decisions" : plural(decisions.length, "decision"))
      : null,
    decisionList(node, dispatches, readValues, atOnce),
  ].filter((part) => part !== null);
}

/** @param {TraceModel} model @param {TraceNode} node @returns {readonly (readonly [string, Child])[]} */
function factsOf(model, { facts, begin, end, counts }) {
  const {
    usage,
    finishReason,
    resultKind,
    isError,
    code,
    message,
    modelId,
    tier,
    runId,
    parentRunId,
    resumes,
    sessionId,
    toolCallId,
    limit,
    decidedBy,
    models,
    steps,
    succeeded,
    texts,
    documents,
    dimensions,
  } = facts;
  const began = model.epochUs === undefined || model.isRecording ? "" : clockTime(begin + model.epochUs);
  const text = (/** @type {unknown} */ value) =>
    value === null || value === undefined || typeof value === "object" ? "" : String(value);
  const { vetoes, failures, changes } = counts;
  return [
    ["Began", began],
    [
      "Took",
      model.isRecording ? "" : end === null ? (model.ended === null ? "runs" : "did not end") : duration(end - begin),
    ],
    ["Ended", [text(finishReason), text(resultKind), text(limit)].filter(Boolean).join(", ")],
    [
      "Error",
      [text(code), text(message), isError === true && code === undefined ? "the tool failed" : ""]
        .filter(Boolean)
        .join(": "),
    ],
    ["Decided by", text(decidedBy)],
    ["Steps", text(steps)],
    ["Succeeded", text(succeeded)],
    ["Texts", text(texts)],
    ["Documents", text(documents)],
    ["Dimensions", text(dimensions)],
    ...tokenFacts(usage),
    ["Model", text(modelId) || (Array.isArray(models) ? models.map(text).join(", ") : "")],
    ["Tier", text(tier)],
    [
      "Hooks",
      [
        vetoes ? plural(vetoes, "veto", "vetoes") : "",
        changes ? plural(changes, "change") : "",
        failures ? plural(failures, "failure") : "",
      ]
        .filter(Boolean)
        .join(", "),
    ],
    ["Run", text(runId)],
    ["Delegated by", text(parentRunId)],
    ["Goes on with", text(resumes)],
    ["Session", text(sessionId)],
    ["Call", text(toolCallId)],
  ];
}

/** @param {unknown} usage @returns {[string, Child][]} */
function tokenFacts(usage) {
  if (typeof usage !== "object" || usage === null) return [];
  const counts = /** @type {Readonly<Record<string, unknown>>} */ (usage);
  const figure = (/** @type {string} */ name) => (typeof counts[name] === "number" ? number(counts[name]) : "0");
  const { promptTokens, cachedTokens, tokensPerSecond } = counts;
  const cached = typeof cachedTokens === "number" && cachedTokens > 0 ? ` (${number(cachedTokens)} cached)` : "";
  return [
    ["Prompt", typeof promptTokens === "number" ? `${number(promptTokens)} tokens${cached}` : ""],
    ["Answer", `${figure("completionTokens")} tokens`],
    [
      "Speed",
      typeof tokensPerSecond === "number" && tokensPerSecond > 0 ? `${Math.round(tokensPerSecond)} tokens/s` : "",
    ],
  ];
}

/** @param {TraceNode} node @param {readonly Dispatch[]} dispatches @param {ReadValues | null} readValues @param {number} most @returns {HTMLElement | null} */
function decisionList(node, dispatches, readValues, most) {
  if (dispatches.length === 0) return null;
  const list = el("ol", { class: "decisions" });
  for (const one of dispatches.slice(0, most)) list.append(el("li", {}, dispatchItem(one, node, readValues)));
  if (dispatches.length > most) {
    const more = el("button", {}, `Show ${number(dispatches.length - most)} more`);
    more.addEventListener("click", () => list.replaceWith(decisionList(node, dispatches, readValues, most * 10) ?? ""));
    list.append(el("li", {}, more));
  }
  return list;
}

/** @param {Dispatch} one @param {TraceNode} node @param {ReadValues | null} readValues */
function dispatchItem(one, node, readValues) {
  const level = levelOf(one);
  // A check of a call comes before the call begins.
  const after = one.clockUs - node.begin;
  const time = el("span", { class: "time" }, `${after < 0 ? "−" : "+"}${duration(Math.abs(after))}`);
  const summary = el(
    "summary",
    {},
    el("span", { class: `level ${level}` }, wordOf(one)),
    el("span", { class: "point" }, one.point),
    time,
  );
  const item = el("details", { class: `dispatch ${level}` }, summary);
  if (one.type === "decision") item.append(...decisionParts(one));
  if (readValues === null) {
    if (one.type === "decision" && one.hooks.length === 0)
      item.append(el("p", { class: "note" }, "No hook was called."));
    return item;
  }
  const fields = new Set(one.type === "decision" ? one.hooks.flatMap((hook) => hook.fields) : []);
  item.addEventListener("toggle", () => void addValues(item, one, fields, readValues), { once: true });
  return item;
}

/** @param {HTMLElement} item @param {Dispatch} one @param {ReadonlySet<string>} fields @param {ReadValues} readValues */
async function addValues(item, one, fields, readValues) {
  const place = el("div", { class: "values" }, el("p", { class: "note" }, "Reading…"));
  item.append(place);
  try {
    const values = await readValues(one.seq);
    place.replaceChildren(valueTable(values, fields));
  } catch (error) {
    place.replaceChildren(
      el("p", { class: "note" }, `The values cannot be read: ${error instanceof Error ? error.message : ""}`),
    );
  }
}

/** @param {Dispatch} one */
function wordOf(one) {
  if (one.type === "passed") return "no hook";
  if (one.action === "cancelled") return one.decidedBy === null ? "stopped" : "veto";
  if (one.hooks.some(({ outcome }) => outcome === "failed")) return "failure";
  return one.action === "modified" ? "changed" : "passed";
}

/** @param {Decision} decision */
function decisionParts({ hooks, reason, decidedBy, durationUs, seq, status }) {
  const why = reason === null ? "" : decidedBy === null ? reason : `${decidedBy.name}: ${reason}`;
  return [
    why === "" ? "" : el("p", { class: "reason" }, why),
    el("ul", { class: "hooks" }, ...hooks.map((hook) => el("li", {}, hookLine(hook), hookError(hook)))),
    el(
      "p",
      { class: "note" },
      `Dispatch ${number(seq)} took ${duration(durationUs)}${status === null ? "" : `, ${status}`}`,
    ),
  ];
}

/** @param {HookRecord} hook */
function hookLine({ id, name, outcome, fields, durationUs, late }) {
  const did = outcome === "proceed" ? "passed" : outcome;
  const level =
    {
      proceed: "pass",
      modified: "change",
      cancelled: "veto",
      failed: "failure",
      observed: "none",
      abandoned: "none",
    }[outcome] ?? "none";
  return el(
    "p",
    { class: "hook" },
    el("strong", {}, name === "" ? `hook ${id}` : name),
    el("span", { class: `level ${level}` }, did),
    fields.length > 0 ? el("code", {}, fields.join(", ")) : null,
    el("span", { class: "time" }, duration(durationUs), late === true ? " (late)" : ""),
  );
}

/** @param {HookRecord} hook */
function hookError({ error }) {
  return error === undefined ? null : el("p", { class: "error" }, el("code", {}, error.code), ` ${error.message}`);
}
