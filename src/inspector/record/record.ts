// The record of one engine: its trace, its state and the values that hooks left, all within bounds.
import type { Decision, Engine, Registration, PointName, TraceEvent } from "../../index.js";
import { History } from "./history.js";
import { StateReader } from "./state.js";
import { ownHookName, ValueStore } from "./values.js";
import type { RecordItem } from "../wire/wire.js";

/** The bounds of a record, and what it keeps. */
export interface RecordOptions {
  readonly history: number;
  readonly values: "left" | "raw" | "none";
}

const perToken: ReadonlySet<PointName> = new Set(["streamToken", "promptProgress"]);

/** Follows an engine until it is closed, or until `stop()`. */
export class EngineRecord {
  readonly history: History<RecordItem>;
  readonly values: ValueStore;
  readonly state: StateReader;
  /** Resolves when the engine is closed, or the record was stopped. */
  readonly ended: Promise<void>;
  readonly options: RecordOptions;
  readonly #hooks: Registration | undefined;
  readonly #reading: AsyncIterator<TraceEvent>;
  #isStopped = false;

  constructor(engine: Engine, options: RecordOptions) {
    const { history, values } = options;
    this.options = options;
    this.history = new History(history);
    this.values = new ValueStore(values === "raw", (link) => this.history.push(link));
    this.#hooks = values === "none" ? undefined : engine.hooks.use(this.values.hooks());
    this.state = new StateReader(engine);
    this.#reading = engine.trace()[Symbol.asyncIterator]();
    this.ended = this.#follow();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#hooks?.dispose();
    await this.#reading.return?.();
    await this.ended;
  }

  async #follow(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reading.next();
      if (done === true) break;
      this.#take(value);
    }
    this.history.push({ type: "ended", what: this.#isStopped ? "inspector" : "engine", timeUs: Date.now() * 1000 });
    this.history.end();
  }

  #take(event: TraceEvent): void {
    if (event.type === "decision") return this.#decision(event);
    if (event.event === "hookEnded") {
      if (event.name === ownHookName) return;
      this.state.end(event);
    }
    if (event.event === "observerFailed") {
      // The cause is a value of the program, which may be anything.
      const { cause, ...rest } = event;
      this.history.push({ ...rest, cause: String(cause).slice(0, 1000) });
    } else this.history.push(event);
    this.state.sample();
  }

  #decision(decision: Decision): void {
    const hooks = decision.hooks.filter(({ name }) => name !== ownHookName);
    const { seq, point, runId, sessionId, clockUs, action, toolCallId } = decision;
    if (hooks.length === 0) {
      const call = toolCallId !== null && { toolCallId };
      return this.history.push({ type: "passed", seq, point, runId, sessionId, clockUs, ...call });
    }
    const isRoutine = perToken.has(point) && action !== "cancelled" && hooks.every(({ error }) => error === undefined);
    this.history.push({ ...decision, hooks }, isRoutine);
  }
}
