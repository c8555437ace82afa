// The invariants of every run, counted twice: by observers of the engine's points, and from results.
// Must not: keep anything of a settled run, because the process's memory is judged as well.
import { mark } from "./hooks.mjs";

const finishReasons = ["complete", "halted", "cancelled", "limit"];
/** Further violations are counted, but not kept. */
const mostKept = 20;

export class Ledger {
  violations = [];
  violated = 0;
  totals = { runs: 0, delegated: 0, neverBegan: 0, toolCalls: 0, histories: 0 };
  finished = {};
  resultKinds = {};
  /** Errors that a worker provoked, by code. */
  refused = {};
  /** Unsettled runs: observations by the run's name. */
  #runs = new Map();

  watch({ hooks }) {
    const observe = { observe: true, name: "ledger" };
    hooks.on("loopStart", ({ meta }) => this.#see(meta, (run) => run.starts++), observe);
    hooks.on(
      "loopEnd",
      ({ meta, iterations }) =>
        this.#see(meta, (run) => {
          run.ends++;
          run.iterations = iterations;
        }),
      observe,
    );
    hooks.on("preToolCall", ({ meta, toolCallId }) => this.#see(meta, ({ asked }) => asked.add(toolCallId)), observe);
    const answered = (meta, id) => this.#see(meta, (run) => run.answered.set(id, (run.answered.get(id) ?? 0) + 1));
    hooks.on("postToolCall", ({ meta, toolCallId }) => answered(meta, toolCallId), observe);
  }

  violate(what) {
    this.violated++;
    if (this.violations.length < mostKept) this.violations.push(what);
  }

  /** A run of a session has resolved. */
  ended(result) {
    const { runId, finishReason, toolCalls, messages } = result;
    this.totals.runs++;
    this.totals.toolCalls += toolCalls.length;
    count(this.finished, finishReason);
    if (!finishReasons.includes(finishReason)) this.violate(`${runId} ended as ${finishReason}`);
    this.#checkMessages(runId, messages);
    for (const { id, name, result: text, resultKind } of toolCalls) {
      count(this.resultKinds, resultKind);
      if (name === "weather" && resultKind === "ok" && !text.endsWith(mark))
        this.violate(`${runId}, ${id}: no hook has seen ${JSON.stringify(text)}`);
    }
    const ids = toolCalls.map(({ id }) => id);
    const said = messages.flatMap((message) => message.toolCalls?.map(({ id }) => id) ?? []);
    if (ids.toSorted().join() !== said.toSorted().join())
      this.violate(`${runId}: it called ${said}, and has records of ${ids}`);
    this.#see({ runId, depth: 0 }, (run) => {
      run.results++;
      run.result = { iterations: result.iterations, ids };
    });
  }

  /** All that was said in a session, or what the model is shown of it. */
  history(sessionId, messages) {
    this.totals.histories++;
    this.#checkMessages(sessionId, messages);
  }

  /** An error that was asked for, unless it is another one. */
  refusal(error, code) {
    if (error?.code === code) count(this.refused, code);
    else this.violate(`${code} was due, and came: ${error?.stack ?? error}`);
  }

  /** True if every run has been seen to its end. */
  get settled() {
    return [...this.#runs.values()].every(neverBegan);
  }

  /** Nothing more is to come. */
  close() {
    for (const [runId, run] of this.#runs) {
      if (neverBegan(run)) this.totals.neverBegan++;
      else {
        const { starts, ends, results, depth } = run;
        this.violate(`${runId}, depth ${depth}: ${starts} loopStart, ${ends} loopEnd, ${results} results`);
      }
    }
    this.#runs.clear();
  }

  #see({ runId, depth }, note) {
    let run = this.#runs.get(runId);
    if (run === undefined) {
      run = { depth, starts: 0, ends: 0, results: 0, asked: new Set(), answered: new Map() };
      this.#runs.set(runId, run);
    }
    note(run);
    this.#settle(runId, run);
  }

  /** A run that is settled is forgotten: whatever is seen of it afterwards is never settled, and found at the end. */
  #settle(runId, run) {
    if (run.starts !== 1 || run.ends !== 1 || (run.depth === 0 && run.results !== 1)) return;
    this.#runs.delete(runId);
    for (const id of run.asked) if (!run.answered.has(id)) this.violate(`${runId}, ${id}: no postToolCall`);
    for (const [id, times] of run.answered) if (times !== 1) this.violate(`${runId}, ${id}: ${times} postToolCall`);
    if (run.depth > 0) return void this.totals.delegated++;
    const { iterations, ids } = run.result;
    if (iterations !== run.iterations)
      this.violate(`${runId}: ${iterations} iterations, and loopEnd says ${run.iterations}`);
    if (ids.toSorted().join() !== [...run.answered.keys()].toSorted().join())
      this.violate(`${runId}: records of ${ids}, and postToolCall of ${[...run.answered.keys()]}`);
  }

  /** Every call has one result, before anything else is said. */
  #checkMessages(whose, messages) {
    const known = new Set();
    let open = new Set();
    for (const { role, toolCalls = [], toolCallId } of messages) {
      if (role === "tool") {
        if (!open.delete(toolCallId)) this.violate(`${whose}: a result of ${toolCallId}, which waits for none`);
        continue;
      }
      if (open.size > 0) this.violate(`${whose}: no result of ${[...open]}`);
      open = new Set(toolCalls.map(({ id }) => id));
      if (open.size !== toolCalls.length || [...open].some((id) => known.has(id)))
        this.violate(`${whose}: a call's name twice, of ${[...open]}`);
      for (const id of open) known.add(id);
    }
    if (open.size > 0) this.violate(`${whose}: no result of ${[...open]}`);
  }
}

/** True if the run was cancelled before its loop began: no loopStart was reported. */
function neverBegan({ starts, ends, results, result }) {
  return starts === 0 && ends === 0 && results === 1 && result.iterations === 0 && result.ids.length === 0;
}

function count(counts, key) {
  counts[key] = (counts[key] ?? 0) + 1;
}
