// limit(): stops runs that use too much. Must not: count the usage of other runs.
import { checkObject, optionalInteger } from "../base/check.js";
import { cancel, defineHooks, type HookMeta, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** Limits of a run together with the runs that it delegates to. Omitted limits do not apply. */
export interface LimitOptions {
  /** Tool calls that may run. Further calls are refused, and the model is told. */
  readonly toolCalls?: number;
  /** Tokens of all prompts and answers. At this number the run is halted after the current iteration. */
  readonly tokens?: number;
  /** Milliseconds, in the same way. */
  readonly ms?: number;
}

interface Spent {
  readonly start: number;
  toolCalls: number;
  tokens: number;
  /** Calls on their way to permissionCheck, by run and tool. */
  readonly coming: Map<string, number>;
}

/**
 * Limits every run of an engine. Not counted: calls that other hooks, rules or the tool's schema answered or refused
 * (but calls that a guard at `permissionCheck` refused do count), and calls of `complete`. Work under way is never cut
 * off; the session options `maxRunTokens` and `maxRunMs` do that. Errors: `TypeError`.
 */
export function limit(options: LimitOptions): HookSet {
  const what = "limit() options";
  const given = checkObject(options, what, ["toolCalls", "tokens", "ms"]);
  const most = (key: keyof LimitOptions): number => optionalInteger(given[key], `${what}: ${key}`, 0) ?? Infinity;
  const [toolCalls, tokens, ms] = [most("toolCalls"), most("tokens"), most("ms")];
  const runs = new Map<string, Spent>();
  /** A delegated run shares the usage of its parent. */
  const spent = ({ runId, parentRunId }: HookMeta): Spent => {
    const known = runs.get(runId ?? "") ?? runs.get(parentRunId ?? "");
    const own = known ?? { start: performance.now(), toolCalls: 0, tokens: 0, coming: new Map() };
    if (runId !== null) runs.set(runId, own);
    return own;
  };
  const refusal = (run: Spent) =>
    run.toolCalls >= toolCalls ? cancel(`no more than ${toolCalls} tool calls a run`) : undefined;
  /** False: the question concerns a delegated task, not a tool call. */
  const came = ({ coming }: Spent, call: string): boolean => {
    const before = coming.get(call) ?? 0;
    if (before > 0) coming.set(call, before - 1);
    return before > 0;
  };
  return defineHooks(
    "limit",
    {
      loopStart({ meta }) {
        spent(meta);
      },
      // Refuses before anybody is asked about a call that will not run.
      preToolCall({ meta, toolName, response }) {
        if (response !== undefined || toolName === "complete") return undefined;
        const run = spent(meta);
        const refused = refusal(run);
        const call = `${meta.runId} ${toolName}`;
        if (refused === undefined) run.coming.set(call, (run.coming.get(call) ?? 0) + 1);
        return refused;
      },
      // The last point before a call runs. Concurrent tiers belong to one run, so another call may have come first.
      permissionCheck({ meta, toolName, permission }) {
        const run = spent(meta);
        if (!came(run, `${meta.runId} ${toolName}`) || permission !== "allow") return undefined;
        const refused = refusal(run);
        if (refused === undefined) run.toolCalls++;
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
        for (const call of run.coming.keys()) if (call.startsWith(`${meta.runId} `)) run.coming.delete(call);
        if (status !== "running") return undefined;
        if (run.tokens >= tokens) return cancel(`${run.tokens} tokens, of ${tokens} a run`);
        const took = performance.now() - run.start;
        return took >= ms ? cancel(`${Math.round(took)} ms, of ${ms} a run`) : undefined;
      },
      loopEnd({ meta }) {
        runs.delete(meta.runId ?? "");
      },
    },
    { priority: afterOthers },
  );
}
