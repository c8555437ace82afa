// Calls the handlers when the engine asks for it. Hot path. Must not: let an exception or a rejection escape.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Causes } from "../base/causes.js";
import { isThenable } from "../base/check.js";
import { type Answerer, answerOf, pass, proceed, thrownAnswer } from "./hook-answer.js";
import { Event, eventOf, type Why } from "./hook-event.js";
import type { HookKnowledge } from "./hook-list.js";
import type { Match } from "./matcher.js";
import type { Apart, HookAnswer, OnHookCall } from "../native/addon.js";
import { contextOf, type InContext } from "../native/callers.js";

/** A registered handler. */
export interface HookEntry extends Answerer {
  readonly handler: (event: never) => unknown;
  readonly observe: boolean;
  /** The file and line at which it was registered. */
  readonly location: string | undefined;
  /** `when` as it was passed, for lists; null: none. */
  readonly when: Readonly<Record<string, unknown>> | null;
  /** The tests of `when` that only JavaScript can make. */
  readonly match: Match | undefined;
  /** Set for a `once` hook with such tests, because the engine cannot know which call is its first. */
  readonly once: boolean;
  /** The async context of the code that added the handler, for calls of the handler outside any call of the engine. */
  readonly context: InContext;
  /** The number of sessions that use this handler: a fork shares the handlers of its parent session. */
  holders: number;
  /** True: it was removed, and is called no more. */
  gone: boolean;
}

/** A call of a handler or a tool. Once `over` is set, nothing waits for work that it left behind. */
export interface Call {
  readonly id: number;
  over: boolean;
}

/** The call that the current code runs in, for all engines. It follows awaits and detached work. */
const inside = new AsyncLocalStorage<Call | undefined>();

/** Runs `run` inside the call, so that everything it starts counts as part of the call. */
export function inCall<T>(call: Call, run: () => T): T {
  return inside.run(call, run);
}

/** True if this code runs inside a handler or a tool call that has not ended, and that other code may wait for. */
export function insideCall(): boolean {
  return inside.getStore()?.over === false;
}

/** The functions of the engine that hook calls use. */
export interface HookCallsEngine {
  give(callId: number, kind: HookAnswer[0], text: string | null): void;
  remove(hookId: number): void;
  /** Passes the events so far to the readers of the trace. Called before a handler is forgotten. */
  drain(): void;
  /** Reports the failure of an observer, for which the engine does not wait. `first`: the hook's first failure. */
  observerFailed(entry: HookEntry, thrown: unknown, first: boolean): void;
}

/** The handlers of one engine and their running calls. */
export class HookCalls implements HookKnowledge {
  readonly entries = new Map<number, HookEntry>();
  /**
   * Calls of observers that `when` filtered out in JavaScript. The engine, which does not wait for observers, has
   * counted these.
   */
  readonly keptBack = new Map<number, number>();
  /** Failures of observers, which the engine cannot count because it does not wait for them. */
  readonly observerFailures = new Map<number, number>();
  readonly #open = new Map<number, { readonly call: Call; readonly event: Event; readonly context: InContext }>();
  readonly #causes: Causes;
  readonly #engine: HookCallsEngine;

  constructor(causes: Causes, engine: HookCallsEngine) {
    this.#causes = causes;
    this.#engine = engine;
  }

  /**
   * Called by the engine. A handler that answers synchronously costs no promise. A handler runs in the async context of
   * the engine's call that it serves; without such a call, in that of the code that added the handler.
   */
  readonly onCall: OnHookCall = (hookId, callId, json, task, apart) => {
    const entry = this.entries.get(hookId);
    if (entry === undefined || entry.gone) return pass; // removed in the meantime
    const context = contextOf(task, entry.context);
    return context(this.#call, entry, callId, json, context, apart);
  };

  readonly #call = (
    entry: HookEntry,
    callId: number,
    json: string,
    context: InContext,
    apart: Apart | undefined,
  ): HookAnswer | undefined => {
    const hookId = entry.id;
    const call = { id: callId, over: false };
    try {
      const event = eventOf(entry.point, json, apart);
      if (entry.match !== undefined && !matches(entry.match, event)) return this.#passed(hookId, entry);
      if (entry.once) this.#spend(entry);
      // The call does not wait for an observer, so the observer does not count as inside the call.
      const value = inside.run(entry.observe ? undefined : call, entry.handler as (event: Event) => unknown, event);
      if (isThenable(value)) return this.#await(call, entry, event, value, context);
      call.over = true;
      return entry.observe ? proceed : answerOf(entry, value);
    } catch (thrown) {
      if (entry.once) this.#spend(entry); // also if `when` threw
      call.over = true;
      return this.#failed(hookId, entry, thrown);
    }
  };

  /**
   * The id of the call that the current code runs in; 0 outside of calls. The engine knows whether that call is over.
   */
  readonly currentCall = (): number => inside.getStore()?.id ?? 0;

  #passed(hookId: number, entry: HookEntry): HookAnswer {
    if (entry.observe) this.keptBack.set(hookId, (this.keptBack.get(hookId) ?? 0) + 1);
    return pass;
  }

  #spend(entry: HookEntry): void {
    if (entry.gone) return;
    entry.gone = true;
    this.#engine.remove(entry.id);
  }

  /** Called by the engine: the hook is gone and no further calls of it will come. */
  readonly onReleased = (hookId: number): void => {
    if (this.entries.has(hookId)) this.#engine.drain();
    this.entries.delete(hookId);
    this.keptBack.delete(hookId);
    this.observerFailures.delete(hookId);
  };

  /** Called by the engine: it no longer waits for the answer. */
  readonly onAbandoned = (callId: number, why: Why): void => {
    const open = this.#open.get(callId);
    if (open === undefined) return;
    this.#open.delete(callId);
    open.call.over = true;
    open.context(Event.end, open.event, why);
  };

  #await(
    call: Call,
    entry: HookEntry,
    event: Event,
    value: PromiseLike<unknown>,
    context: InContext,
  ): HookAnswer | undefined {
    const promise = Promise.resolve(value);
    if (!entry.observe) this.#open.set(call.id, { call, event, context });
    promise.then(
      (result) => this.#settle(call, entry, () => answerOf(entry, result)),
      (thrown: unknown) => {
        if (entry.observe) this.#failed(entry.id, entry, thrown);
        else this.#settle(call, entry, () => this.#failed(entry.id, entry, thrown));
      },
    );
    return entry.observe ? proceed : undefined;
  }

  #settle(call: Call, entry: HookEntry, answer: () => HookAnswer): void {
    if (!this.#open.delete(call.id)) return;
    call.over = true;
    let [kind, text] = proceed;
    try {
      [kind, text] = answer();
    } catch (thrown) {
      [kind, text] = thrownAnswer(entry, thrown, this.#causes);
    }
    this.#engine.give(call.id, kind, text);
  }

  #failed(hookId: number, entry: HookEntry, thrown: unknown): HookAnswer {
    if (entry.observe) {
      const before = this.observerFailures.get(hookId) ?? 0;
      this.observerFailures.set(hookId, before + 1);
      this.#engine.observerFailed(entry, thrown, before === 0);
    }
    return thrownAnswer(entry, thrown, this.#causes);
  }
}

function matches(match: Match, event: object): boolean {
  return match.every(([key, test]) => test((event as Record<string, unknown>)[key]));
}
