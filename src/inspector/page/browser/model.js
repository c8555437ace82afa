// A trace as a tree: sessions, runs, model calls, tool calls, delegated runs, and the decisions in them. Takes
// events one by one, so that it serves live pages and files alike. Must not: touch the page.
import { Dispatches } from "./dispatches.js";
import { countsOf } from "./levels.js";

/** @import { Decision, LifecycleEvent } from "../../../generated/results.js" */
/** @import { Dispatch, Index } from "./dispatches.js" */
/** @import { Counts } from "./levels.js" */
/** @import { CallLink, Lost, RecordItem } from "../../wire/wire.js" */

/** @typedef {"session" | "run" | "generation" | "modelCall" | "toolCall" | "plan" | "embedding" | "rerank" | "modelLoad" | "engine"} NodeKind */

export class TraceNode {
  /**
   * @param {string} id
   * @param {NodeKind} kind
   * @param {string} name
   * @param {TraceNode | null} parent
   * @param {number} begin microseconds of the trace's clock
   */
  constructor(id, kind, name, parent, begin) {
    this.id = id;
    this.kind = kind;
    this.name = name;
    this.parent = parent;
    /** The session, or what else has no parent; null: itself. @type {TraceNode | null} */
    this.root = null;
    this.begin = begin;
    /** Null: it has not ended. @type {number | null} */
    this.end = null;
    /** @type {TraceNode[]} */
    this.children = [];
    /** Dispatches outside of children's runs, in order. @type {Dispatch[]} */
    this.dispatches = [];
    /** The fields of its events. @type {Record<string, unknown>} */
    this.facts = {};
    /** With those of all below it. @type {{ -readonly [K in keyof Counts]: number }} */
    this.counts = { vetoes: 0, failures: 0, changes: 0 };
    /** Fields that a recording has. @type {readonly (readonly [string, string])[]} */
    this.texts = [];
    /** Its dispatches, ordered to be found. @type {Index | undefined} */
    this.index = undefined;
    parent?.children.push(this);
  }

  /** The code of its error, if it failed. */
  get code() {
    return typeof this.facts["code"] === "string" ? this.facts["code"] : null;
  }

  get isFailed() {
    return this.code !== null || this.facts["isError"] === true;
  }
}

export class TraceModel {
  dispatches = new Dispatches();
  /** @type {TraceNode[]} */
  roots = [];
  /** Counts up with every change. */
  version = 0;
  /** Events that did not reach this page. */
  lost = 0;
  decisions = 0;
  /** True: it has texts, no decisions, and no times but an order. */
  isRecording = false;
  /** @type {"engine" | "inspector" | null} */
  ended = null;
  /** The first and the last time of its clock. */
  first = Infinity;
  last = -Infinity;
  /** Microseconds since the Unix epoch at the clock's zero. @type {number | undefined} */
  epochUs = undefined;
  /** @type {Map<string, TraceNode>} */
  #sessions = new Map();
  /** Runs and generations by id. @type {Map<string, TraceNode>} */
  #runs = new Map();
  /** Activities that have not ended, by span. @type {Map<number, TraceNode>} */
  #open = new Map();
  /** Tool calls by id. @type {Map<string, TraceNode>} */
  #toolCalls = new Map();
  /** @type {TraceNode | undefined} */
  #engine = undefined;
  #ids = 0;

  /** True: something has begun and not ended. */
  get isActive() {
    return this.ended === null && this.#open.size > 0;
  }

  /** @param {RecordItem | Lost} item */
  take(item) {
    this.version++;
    switch (item.type) {
      case "lost":
        this.lost += item.count;
        return;
      case "decision":
      case "passed":
        return this.#dispatch(item);
      case "call":
        this.dispatches.link(item);
        this.#name(item);
        return;
      case "ended":
        this.ended = item.what;
        for (const node of this.#open.values()) node.end ??= this.last;
        return;
      case "lifecycle":
        return this.#lifecycle(item);
      default: // of a newer version
    }
  }

  /** Names a call that a hook refused, and adds one that anything else refused: the trace has no event of either. @param {CallLink} link */
  #name({ runId, toolCallId, toolName, resultKind = "" }) {
    const known = this.#toolCalls.get(toolCallId);
    const run = runId === null ? undefined : this.#runs.get(runId);
    if (known !== undefined) known.name = toolName;
    else if (run !== undefined && resultKind.startsWith("rejected_")) {
      const node = this.add("toolCall", toolName, run, this.last, this.last);
      node.facts = { resultKind, toolCallId };
      this.#toolCalls.set(toolCallId, node);
    }
  }

  /** A call that a hook refuses does not begin, so it has no event but the decision. @param {TraceNode} run @param {Decision} decision */
  #refuse(run, decision) {
    const { point, action, decidedBy, clockUs, durationUs } = decision;
    if (run.kind !== "run" || point !== "preToolCall" || action !== "cancelled" || decidedBy === null) return;
    const toolCallId = this.dispatches.callOf(decision);
    const known = this.#toolCalls.get(toolCallId ?? "");
    const node = known ?? this.add("toolCall", "refused call", run, clockUs, clockUs + durationUs);
    Object.assign(node, { begin: clockUs, end: clockUs + durationUs });
    node.facts = { resultKind: "refused", decidedBy: decidedBy.name, ...(toolCallId !== undefined && { toolCallId }) };
    if (toolCallId !== undefined) this.#toolCalls.set(toolCallId, node);
  }

  /** Adds a node of a file. @param {NodeKind} kind @param {string} name @param {TraceNode | null} parent @param {number} begin @param {number | null} end */
  add(kind, name, parent, begin, end) {
    const node = new TraceNode(`n${++this.#ids}`, kind, name, parent, begin);
    node.root = parent?.root ?? parent;
    node.end = end;
    if (parent === null) this.roots.push(node);
    this.#see(begin);
    if (end !== null) this.#see(end);
    this.version++;
    return node;
  }

  /** Puts what a file has by kind in the order of time. */
  sort() {
    const byTime = (/** @type {TraceNode} */ a, /** @type {TraceNode} */ b) => a.begin - b.begin;
    this.roots.sort(byTime);
    for (const { children } of this.nodes()) children.sort(byTime);
  }

  /** All nodes, each before what is below it. @returns {Generator<TraceNode>} */
  *nodes() {
    const left = [...this.roots];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      yield node;
      for (const child of node.children) left.push(child);
    }
  }

  /** Adds the decisions of a file. @param {TraceNode} owner @param {readonly Dispatch[]} dispatches */
  addDispatches(owner, dispatches) {
    const sum = { vetoes: 0, failures: 0, changes: 0 };
    for (const dispatch of dispatches) addCounts(sum, this.#own(owner, dispatch));
    countUp(owner, sum);
    this.version++;
  }

  /** @param {number} clockUs */
  #see(clockUs) {
    if (clockUs < this.first) this.first = clockUs;
    if (clockUs > this.last) this.last = clockUs;
  }

  /** @param {LifecycleEvent} event */
  #lifecycle(event) {
    if (event.event === "dropped") {
      this.lost += event.count;
      return;
    }
    if (!("clockUs" in event)) return;
    const { clockUs, timeUs } = event;
    this.#see(clockUs);
    this.epochUs ??= timeUs - clockUs;
    if (event.event === "modelUnloaded") {
      const node = this.add("modelLoad", `unload ${event.modelId}`, this.#engineNode(clockUs), clockUs, clockUs);
      node.facts = factsOf(event);
      return;
    }
    if (!("span" in event)) return;
    const node = this.#open.get(event.span) ?? this.#begin(event);
    Object.assign(node.facts, factsOf(event));
    if (!("durationUs" in event)) return;
    node.end = clockUs;
    this.#open.delete(event.span);
    this.widen(node, clockUs);
  }

  /** @param {Exclude<LifecycleEvent, { event: "dropped" | "observerFailed" | "modelUnloaded" | "hookEnded" }>} event */
  #begin(event) {
    // The beginning of an activity may be lost.
    const begin = event.clockUs - ("durationUs" in event ? event.durationUs : 0);
    const [kind, name, parent] = this.#placeOf(event, begin);
    const node = this.add(kind, name, parent, begin, null);
    this.#open.set(event.span, node);
    if (kind === "run" || kind === "generation") this.#runs.set(/** @type {{ runId: string }} */ (event).runId, node);
    if (kind === "toolCall" && "toolCallId" in event) this.#toolCalls.set(String(event.toolCallId), node);
    return node;
  }

  /**
   * @param {Exclude<LifecycleEvent, { event: "dropped" | "observerFailed" | "modelUnloaded" | "hookEnded" }>} event
   * @param {number} begin
   * @returns {[NodeKind, string, TraceNode | null]}
   */
  #placeOf(event, begin) {
    switch (event.event) {
      case "runStarted":
      case "runEnded": {
        const { parentRunId = undefined, tier = undefined } = /** @type {{ parentRunId?: string, tier?: string }} */ (
          event
        );
        const parent = parentRunId === undefined ? undefined : this.#runs.get(parentRunId);
        return ["run", tier === undefined ? "run" : `run of ${tier}`, parent ?? this.#session(event.sessionId, begin)];
      }
      case "generationStarted":
      case "generationEnded":
        return ["generation", "generation", null];
      case "modelCallStarted":
      case "modelCallEnded":
        return [
          "modelCall",
          event.iteration === null ? "model call" : `model call ${event.iteration}`,
          this.#run(event, begin),
        ];
      case "toolCallStarted":
      case "toolCallEnded":
        return ["toolCall", event.toolName, this.#run(event, begin)];
      case "planStarted":
      case "planEnded":
        return ["plan", "plan", this.#run(event, begin)];
      case "embeddingStarted":
      case "embeddingEnded":
        return ["embedding", `embed ${event.modelId}`, null];
      case "rerankStarted":
      case "rerankEnded":
        return ["rerank", `rerank ${event.modelId}`, null];
      default:
        return ["modelLoad", `load ${event.modelId}`, this.#engineNode(begin)];
    }
  }

  /** @param {{ runId: string, sessionId: string }} event @param {number} begin */
  #run({ runId, sessionId }, begin) {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const node = this.add("run", "run", this.#session(sessionId, begin), begin, null);
    node.facts = { runId, sessionId };
    this.#runs.set(runId, node);
    return node;
  }

  /** @param {string} id @param {number} begin */
  #session(id, begin) {
    let node = this.#sessions.get(id);
    if (node === undefined) {
      node = this.add("session", id.startsWith("session") ? id : `session ${id}`, null, begin, null);
      node.facts = { sessionId: id };
      this.#sessions.set(id, node);
    }
    return node;
  }

  /** @param {number} begin */
  #engineNode(begin) {
    this.#engine ??= this.add("engine", "engine", null, begin, null);
    return this.#engine;
  }

  /** A session ends with its last run. @param {TraceNode} node @param {number} end */
  widen({ root }, end) {
    if (root?.kind === "session" || root?.kind === "engine") root.end = Math.max(root.end ?? 0, end);
  }

  /** @param {Dispatch} dispatch */
  #dispatch(dispatch) {
    const { runId, sessionId, clockUs } = dispatch;
    const owner =
      (runId === null ? undefined : this.#runs.get(runId)) ??
      (sessionId === null ? undefined : this.#session(sessionId, clockUs)) ??
      this.#engineNode(clockUs);
    countUp(owner, this.#own(owner, dispatch));
  }

  /** @param {TraceNode} owner @param {Dispatch} dispatch @returns {Counts} */
  #own(owner, dispatch) {
    this.#see(dispatch.clockUs);
    owner.dispatches.push(dispatch);
    if (dispatch.type !== "decision") return none;
    this.decisions++;
    this.#refuse(owner, dispatch);
    if (dispatch.timeUs > 0) this.epochUs ??= dispatch.timeUs - dispatch.clockUs;
    return countsOf(dispatch);
  }
}

const none = { vetoes: 0, failures: 0, changes: 0 };

/** @param {{ -readonly [K in keyof Counts]: number }} sum @param {Counts} more */
function addCounts(sum, { vetoes, failures, changes }) {
  sum.vetoes += vetoes;
  sum.failures += failures;
  sum.changes += changes;
}

/** @param {TraceNode} owner @param {Counts} counts */
function countUp(owner, counts) {
  if (counts.vetoes + counts.failures + counts.changes === 0) return;
  for (let at = /** @type {TraceNode | null} */ (owner); at !== null; at = at.parent) addCounts(at.counts, counts);
}

/** @param {LifecycleEvent} event */
function factsOf(event) {
  const hidden = new Set(["type", "event", "timeUs", "clockUs", "durationUs", "span"]);
  return Object.fromEntries(Object.entries(event).filter(([key]) => !hidden.has(key)));
}
