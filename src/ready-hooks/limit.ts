// limit(): stops runs that use too much. Must not: count the usage of other runs.
import { checkObject, optionalInteger } from "../base/check.js";
import { cancel, defineHooks, type HookMeta, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** Limits of a run together with the runs that it delegates to. Omitted limits do not apply. */
export interface LimitOptions {
  /** Tool calls that may run. Further calls are refused, and the model gets the reason. */
  readonly toolCalls?: number;
  /**
   * Tokens of all prompts and answers: `promptTokens` and `completionTokens` of each model call. At this number the run
   * is halted after the current iteration. The session option `maxRunTokens` counts the tokens of answers alone.
   */
  readonly totalTokens?: number;
  /** Milliseconds, in the same way. */
  readonly ms?: number;
}

interface Spent {
  /** When the run began or continued; null: its calls wait. */
  began: number | null;
  /** Milliseconds before that, without those in which its calls waited. */
  ms: number;
  /** The calls that may run, by id. */
  readonly toolCalls: Set<string>;
  tokens: number;
}

/** The maximum number of runs with waiting calls, which may never continue; the oldest are forgotten. */
const mostWaiting = 1000;

/**
 * Limits every run of an engine, together with the runs that continue it after its calls have waited, in this process.
 * It does not count calls that other hooks, rules, the tool's schema or the answer to a waiting call refuse (but it
 * counts calls that a guard at `permissionCheck` refuses), calls of `complete`, and the time in which calls wait. It
 * never cuts off work under way; the session options `maxRunTokens` and `maxRunMs` do that. Errors: `TypeError`.
 *
 * @example
 * ```ts
 * engine.hooks.use(limit({ toolCalls: 20, totalTokens: 100_000, ms: 60_000 }));
 * ```
 */
export function limit(options: LimitOptions): HookSet {
  const what = "limit() options";
  const given = checkObject(options, what, ["toolCalls", "totalTokens", "ms"]);
  const most = (key: keyof LimitOptions): number => optionalInteger(given[key], `${what}: ${key}`, 0) ?? Infinity;
  const [toolCalls, totalTokens, ms] = [most("toolCalls"), most("totalTokens"), most("ms")];
  const runs = new Map<string, Spent>();
  const waiting = new Map<string, Spent>();
  /** A delegated run shares the usage of its parent, and a run that continues another shares that of the first. */
  const spent = ({ runId, parentRunId, resumes }: HookMeta): Spent => {
    const known = runs.get(runId ?? "") ?? runs.get(parentRunId ?? "") ?? waiting.get(resumes ?? "");
    const own = known ?? { began: null, ms: 0, toolCalls: new Set(), tokens: 0 };
    own.began ??= performance.now();
    if (resumes !== undefined) waiting.delete(resumes);
    if (runId !== null) runs.set(runId, own);
    return own;
  };
  const timeOf = ({ began, ms: before }: Spent): number => before + (began === null ? 0 : performance.now() - began);
  const refusal = (run: Spent) =>
    run.toolCalls.size >= toolCalls ? cancel(`no more than ${toolCalls} tool calls a run`) : undefined;
  /** Ids are unique in a conversation. Only calls of the caller's own run can wait, and continue in another run. */
  const keyOf = ({ runId, parentRunId }: HookMeta, id: string): string =>
    parentRunId === null ? id : `${runId} ${id}`;
  return defineHooks(
    "limit",
    {
      loopStart({ meta }) {
        spent(meta);
      },
      // Refuses first, so that no person is asked about a call that will not run.
      preToolCall({ meta, toolName, response }) {
        return response !== undefined || toolName === "complete" ? undefined : refusal(spent(meta));
      },
      // The last point before a call runs. Concurrent tiers belong to one run, so another call may have come first.
      permissionCheck({ meta, toolName, toolCallId, permission }) {
        // A task that is handed on has no id: the call that hands it on is counted.
        if (toolCallId === null || toolName === "complete") return undefined;
        const run = spent(meta);
        const key = keyOf(meta, toolCallId);
        if (permission !== "allow") {
          run.toolCalls.delete(key); // it was counted before it waited
          return undefined;
        }
        if (run.toolCalls.has(key)) return undefined;
        const refused = refusal(run);
        if (refused === undefined) run.toolCalls.add(key);
        return refused;
      },
      postGenerate({ meta, usage }) {
        // A generation outside of runs, such as a summary between two runs, is not counted: nothing would end its
        // entry.
        const run = runs.get(meta.runId ?? "");
        if (run !== undefined) run.tokens += usage.promptTokens + usage.completionTokens;
      },
      iterationEnd({ meta, status }) {
        const run = spent(meta);
        if (status !== "running") return undefined;
        if (run.tokens >= totalTokens) return cancel(`${run.tokens} tokens, of ${totalTokens} a run`);
        const took = timeOf(run);
        return took >= ms ? cancel(`${Math.round(took)} ms, of ${ms} a run`) : undefined;
      },
      loopEnd({ meta, finalState }) {
        const run = runs.get(meta.runId ?? "");
        runs.delete(meta.runId ?? "");
        if (run === undefined || meta.parentRunId !== null || finalState !== "INTERRUPTED") return;
        run.ms = timeOf(run);
        run.began = null;
        waiting.set(meta.resumes ?? meta.runId ?? "", run);
        for (const [oldest] of waiting) {
          if (waiting.size <= mostWaiting) break;
          waiting.delete(oldest);
        }
      },
    },
    { priority: afterOthers, fields: { loopStart: [], postGenerate: ["usage"] } },
  );
}
