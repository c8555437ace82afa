// limit(): runs that take too much are stopped. Must not: count what other runs take.
import { checkObject, optionalInteger } from "../base/check.js";
import { cancel, defineHooks, type HookMeta, type HookSet } from "../index.js";
import { afterOthers } from "./order.js";

/** Of a run together with those that it delegates to; what is left out has no limit. */
export interface LimitOptions {
  /** Tool calls that may run. The next ones are refused, and the model is told. */
  readonly toolCalls?: number;
  /** Tokens of all prompts and answers. Once there are as many the run is halted, after the iteration under way. */
  readonly tokens?: number;
  /** Milliseconds, likewise. */
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
 * Limits for every run of an engine. Calls that are answered or refused by other hooks, by rules or by the tool's schema do not
 * count, but for what a guard at `permissionCheck` refuses, nor do those of `complete`. Nothing under way is cut off: the options `maxRunTokens` and
 * `maxRunMs` of a session do that. Errors: `TypeError`.
 */
export function limit(options: LimitOptions): HookSet {
  const what = "limit() options";
  const given = checkObject(options, what, ["toolCalls", "tokens", "ms"]);
  const most = (key: keyof LimitOptions): number => optionalInteger(given[key], `${what}: ${key}`, 0) ?? Infinity;
  const [toolCalls, tokens, ms] = [most("toolCalls"), most("tokens"), most("ms")];
  const runs = new Map<string, Spent>();
  /** Those of a child are its parent's. */
  const spent = ({ runId, parentRunId }: HookMeta): Spent => {
    const known = runs.get(runId ?? "") ?? runs.get(parentRunId ?? "");
    const own = known ?? { start: performance.now(), toolCalls: 0, tokens: 0, coming: new Map() };
    if (runId !== null) runs.set(runId, own);
    return own;
  };
  const refusal = (run: Spent) =>
    run.toolCalls >= toolCalls ? cancel(`no more than ${toolCalls} tool calls a run`) : undefined;
  /** False: what is asked about is no call but a task that one hands on. */
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
      // Before anybody is asked about a call that will not run.
      preToolCall({ meta, toolName, response }) {
        if (response !== undefined || toolName === "complete") return undefined;
        const run = spent(meta);
        const refused = refusal(run);
        const call = `${meta.runId} ${toolName}`;
        if (refused === undefined) run.coming.set(call, (run.coming.get(call) ?? 0) + 1);
        return refused;
      },
      // The last that is asked before a call runs. Tiers at once are one run: another may have come first by now.
      permissionCheck({ meta, toolName, permission }) {
        const run = spent(meta);
        if (!came(run, `${meta.runId} ${toolName}`) || permission !== "allow") return undefined;
        const refused = refusal(run);
        if (refused === undefined) run.toolCalls++;
        return refused;
      },
      postGenerate({ meta, usage }) {
        // A generation of no run, a summary between two say: nothing says when it is forgotten.
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
