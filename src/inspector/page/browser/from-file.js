// Reads a saved trace or a recording as a tree. A file may be anything: what does not fit is refused with its place.
// Must not: touch the page.
import { TraceModel } from "./model.js";

/** @import { Decision, HookRecord } from "../../../generated/results.js" */
/** @import { Dispatch } from "./dispatches.js" */
/** @import { NodeKind, TraceNode } from "./model.js" */

/** @typedef {{ readonly name: string, readonly kind: "trace" | "recording", readonly model: TraceModel }} Opened */
/** @typedef {Readonly<Record<string, unknown>>} Fields */
/** @typedef {{ readonly ph: unknown, readonly name: string, readonly cat: unknown, readonly tid: number, readonly ts: number, readonly dur: number, readonly args: Fields }} ChromeEvent */

const mostEvents = 1_000_000;
/** Between two steps of a recording, which has no times. */
const step = 1000;

/**
 * Errors: an Error that says what is wrong with the file.
 * @param {string} name
 * @param {string} text
 * @returns {Opened}
 */
export function openText(name, text) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${error instanceof Error ? error.message : ""}`, { cause: error });
  }
  if (isObject(value) && value["format"] === "llama-hooks recording")
    return { name, kind: "recording", model: ofRecording(value) };
  const events = Array.isArray(value) ? value : isObject(value) ? value["traceEvents"] : undefined;
  if (!Array.isArray(events))
    throw new Error("it is neither a trace (an object with traceEvents) nor a recording of recordRun()");
  if (events.length > mostEvents) throw new Error(`it has more than ${mostEvents} events`);
  const lost = isObject(value) && isObject(value["otherData"]) ? value["otherData"]["dropped"] : 0;
  return { name, kind: "trace", model: ofTrace(events.map(chromeEvent), typeof lost === "number" ? lost : 0) };
}

/** @param {unknown} value @returns {value is Fields} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @param {number} index @returns {ChromeEvent} */
function chromeEvent(value, index) {
  const { ph, name, cat, tid, ts, dur = 0, args = {} } = isObject(value) ? value : {};
  const isEvent =
    typeof ph === "string" &&
    typeof name === "string" &&
    Number.isFinite(tid) &&
    Number.isFinite(ts ?? 0) &&
    Number.isFinite(dur) &&
    isObject(args);
  if (!isEvent) throw new Error(`traceEvents[${index}] is no event of a trace`);
  return { ph, name, cat, tid: Number(tid), ts: Number(ts ?? 0), dur: Number(dur), args };
}

/** @type {Readonly<Record<string, NodeKind>>} */
const kinds = {
  run: "run",
  generation: "generation",
  modelCall: "modelCall",
  toolCall: "toolCall",
  plan: "plan",
  embedding: "embedding",
  rerank: "rerank",
  modelLoad: "modelLoad",
};

/** @param {readonly ChromeEvent[]} events @param {number} lost */
function ofTrace(events, lost) {
  const model = new TraceModel();
  model.lost = lost;
  const tasks = tasksOf(events);
  const builder = new TraceBuilder(model, tasks);
  const spans = events.filter(({ ph, cat }) => ph === "X" && typeof cat === "string" && Object.hasOwn(kinds, cat));
  // A run comes before what it contains, and before the runs that it delegates to.
  const order = ["modelLoad", "run", "generation", "embedding", "rerank", "modelCall", "toolCall", "plan"];
  const byKind = grouped(spans, ({ cat }) => String(cat));
  for (const kind of order)
    for (const event of (byKind.get(kind) ?? []).toSorted((a, b) => a.ts - b.ts)) builder.span(event);
  const decisions = events.filter(({ ph, cat }) => ph === "X" && (cat === "decision" || cat === "hook"));
  builder.decisions(decisions.toSorted((a, b) => a.ts - b.ts || (a.cat === "decision" ? -1 : 1)));
  model.sort();
  if (model.roots.length === 0) throw new Error("it has no runs, generations, loads or decisions of llama-hooks");
  return model;
}

/** The items by a key; those without one are left out. @template T @param {readonly T[]} items @param {(item: T) => string | undefined} keyOf @returns {Map<string, T[]>} */
function grouped(items, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The run or session of each line. @param {readonly ChromeEvent[]} events */
function tasksOf(events) {
  /** @type {Map<number, string>} */
  const tasks = new Map();
  for (const { ph, name, tid, args } of events)
    if (ph === "M" && name === "thread_name")
      tasks.set(tid, String(args["name"] ?? "").replace(/ \(.*\)(?: \d+)?$| \d+$/, ""));
  return tasks;
}

class TraceBuilder {
  /** @param {TraceModel} model @param {ReadonlyMap<number, string>} tasks */
  constructor(model, tasks) {
    this.model = model;
    this.tasks = tasks;
    /** @type {Map<string, TraceNode>} */
    this.places = new Map();
  }

  /** @param {ChromeEvent} event */
  span({ name, cat, ts, dur, args }) {
    const kind = kinds[String(cat)] ?? "engine";
    const end = args["unfinished"] === true ? null : ts + dur;
    const { runId, parentRunId, tier, iteration } = args;
    /** @type {TraceNode | null} */
    let parent = null;
    if (kind === "modelLoad") parent = this.place("engine", "engine", ts);
    else if (kind === "run")
      parent = this.places.get(String(parentRunId)) ?? this.place(String(args["sessionId"] ?? "?"), "session", ts);
    else if (kind === "modelCall" || kind === "toolCall" || kind === "plan")
      parent = this.place(String(runId), "run", ts);
    const names = {
      run: tier === undefined ? "run" : `run of ${String(tier)}`,
      modelCall: typeof iteration === "number" ? `model call ${iteration}` : name,
    };
    const node = this.model.add(kind, kind === "run" || kind === "modelCall" ? names[kind] : name, parent, ts, end);
    node.facts = args;
    if (kind === "run" || kind === "generation") this.places.set(String(runId), node);
    if (end !== null) this.model.widen(node, end);
  }

  /** @param {string} id @param {"engine" | "session" | "run"} kind @param {number} ts @returns {TraceNode} */
  place(id, kind, ts) {
    const known = this.places.get(id);
    if (known !== undefined) return known;
    const node = this.model.add(
      kind,
      kind === "session" ? (id.startsWith("session") ? id : `session ${id}`) : kind,
      null,
      ts,
      null,
    );
    node.facts = kind === "session" ? { sessionId: id } : kind === "run" ? { runId: id } : {};
    this.places.set(id, node);
    return node;
  }

  /** @param {readonly ChromeEvent[]} events decisions and their hooks, by time */
  decisions(events) {
    /** The last decision of each run. @type {Map<string, { readonly decision: Decision, readonly hooks: HookRecord[], readonly end: number }>} */
    const last = new Map();
    /** @type {Map<TraceNode, Dispatch[]>} */
    const found = new Map();
    for (const { cat, name, tid, ts, dur, args } of events) {
      const task = this.tasks.get(tid) ?? "engine";
      const key = `${task} ${String(args["point"])}`;
      if (cat === "hook") {
        const of = last.get(key);
        if (of !== undefined && ts <= of.end) of.hooks.push(hookOf(name, ts, dur, args));
        continue;
      }
      /** @type {HookRecord[]} */
      const hooks = [];
      const owner = this.places.get(task) ?? this.place("engine", "engine", ts);
      const decision = decisionOf(name, ts, dur, args, hooks);
      last.set(key, { decision, hooks, end: ts + dur });
      const there = found.get(owner);
      if (there === undefined) found.set(owner, [decision]);
      else there.push(decision);
    }
    for (const [owner, decisions] of found) this.model.addDispatches(owner, decisions);
  }
}

/** @param {string} point @param {number} ts @param {number} dur @param {Fields} args @param {readonly HookRecord[]} hooks @returns {Decision} */
function decisionOf(point, ts, dur, args, hooks) {
  const { decision, decidedBy, reason, seq } = args;
  return /** @type {Decision} */ ({
    type: "decision",
    seq: typeof seq === "number" ? seq : 0,
    point,
    runId: null,
    sessionId: null,
    clockUs: ts,
    durationUs: dur,
    timeUs: 0,
    action: decision === "modified" || decision === "cancelled" ? decision : "proceed",
    decidedBy: typeof decidedBy === "string" ? { id: 0, name: decidedBy } : null,
    reason: typeof reason === "string" ? reason : null,
    status: null,
    hooks,
  });
}

/** @param {string} name @param {number} ts @param {number} dur @param {Fields} args @returns {HookRecord} */
function hookOf(name, ts, dur, args) {
  const { decision, fields, code, error, late } = args;
  return /** @type {HookRecord} */ ({
    id: 0,
    name,
    outcome: String(decision ?? "proceed"),
    fields: Array.isArray(fields) ? fields.map(String) : [],
    clockUs: ts,
    durationUs: dur,
    ...(late === true && { late }),
    ...(typeof code === "string" && { error: { code, message: String(error ?? "") } }),
  });
}

/** @param {unknown} value @param {string} place @returns {readonly Fields[]} */
function listOf(value, place) {
  if (!Array.isArray(value) || !value.every(isObject)) throw new Error(`it is a recording without a list of ${place}`);
  return value;
}

/** @param {Fields} value */
function ofRecording(value) {
  const runs = listOf(value["runs"], "runs");
  const calls = listOf(value["calls"], "calls");
  const model = new TraceModel();
  model.isRecording = true;
  const session = model.add("session", "recorded session", null, 0, null);
  session.texts = textsOf(value, ["options", "tools"]);
  session.facts = { runs: runs.length, models: value["models"], raw: value["raw"] };
  const callsOf = grouped(calls, ({ name }) => /^(\d+)[ /]/.exec(String(name))?.[1]);
  for (const [index, run] of runs.entries())
    addRun(model, session, run, `run ${index + 1}`, callsOf.get(String(index + 1)) ?? []);
  return model;
}

/** @param {TraceModel} model @param {TraceNode} session @param {Fields} run @param {string} name @param {readonly Fields[]} replies */
function addRun(model, session, run, name, replies) {
  const outcome = isObject(run["outcome"]) ? run["outcome"] : {};
  const error = isObject(run["error"]) ? run["error"] : {};
  const begin = session.children.at(-1)?.end ?? 0;
  const node = model.add("run", name, session, begin, begin + step);
  const records = [...listOf(outcome["toolCalls"] ?? [], "tool calls")];
  let at = begin;
  const addCalls = (/** @type {number} */ count) => {
    for (const record of records.splice(0, count)) {
      const call = model.add("toolCall", String(record["name"]), node, at, (at += step));
      const { resultKind, isError, decidedBy } = record;
      call.facts = { resultKind, isError, decidedBy };
      call.texts = textsOf(record, ["args", "result"]);
    }
  };
  /** The run and those that it delegated to, by the names that calls have of them. @type {Map<string, TraceNode>} */
  const places = new Map();
  for (const reply of replies) {
    const [path = "", call = ""] = cut(String(reply["name"]), " ");
    const place = placeOf(model, node, places, path, at);
    const added = model.add("modelCall", `model call ${call}`, place, at, (at += step));
    added.facts = { finishReason: reply["finishReason"] };
    added.texts = textsOf(reply, ["reasoning", "content", "toolCalls"]);
    if (place !== node) place.end = at;
    // The calls that a reply asked for follow it.
    else addCalls(Array.isArray(reply["toolCalls"]) ? reply["toolCalls"].length : 0);
  }
  addCalls(records.length);
  node.end = Math.max(at, begin + step);
  session.end = node.end;
  const { finishReason, cancel, halt, limit } = outcome;
  const { resumes } = run;
  const link = typeof resumes === "number" ? { resumes: `run ${resumes}` } : {};
  node.facts = { ...link, finishReason, cancel, halt, limit, ...error };
  node.texts = [...textsOf(run, ["input", "resume"]), ...textsOf(outcome, ["reasoning", "text"])];
}

/** The run of a call: `1`, or `1/coder:HASH` for one that run 1 delegated to the tier coder. @param {TraceModel} model @param {TraceNode} run @param {Map<string, TraceNode>} places @param {string} path @param {number} at @returns {TraceNode} */
function placeOf(model, run, places, path, at) {
  let place = run;
  for (let slash = path.indexOf("/"); slash >= 0;) {
    const next = path.indexOf("/", slash + 1);
    const own = next < 0 ? path : path.slice(0, next);
    let known = places.get(own);
    if (known === undefined) {
      const tier = own.slice(slash + 1).replace(/:[^:]*$/, "");
      known = model.add("run", tier === "" ? "run" : `run of ${tier}`, place, at, at);
      places.set(own, known);
    }
    place = known;
    slash = next;
  }
  return place;
}

/** The text before the last separator, and the text after it. @param {string} text @param {string} separator */
function cut(text, separator) {
  const at = text.replace(/ aside(#\d+)?$/, "").lastIndexOf(separator);
  return [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
}

/** The fields that say something, as JSON. @param {Fields} fields @param {readonly string[]} names @returns {[string, string][]} */
function textsOf(fields, names) {
  const isEmpty = (/** @type {unknown} */ value) =>
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return names.flatMap((name) => (isEmpty(fields[name]) ? [] : [[name, JSON.stringify(fields[name])]]));
}
