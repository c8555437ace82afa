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
}

/**
 * Limits for every run of an engine. Calls that are answered or refused by other hooks, by rules or by the tool's schema do not
 * count, but for what a guard at `permissionCheck` refuses. Nothing under way is cut off: the options `maxRunTokens` and
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
    const own = known ?? { start: performance.now(), toolCalls: 0, tokens: 0 };
    if (runId !== null) runs.set(runId, own);
    return own;
  };
  const refusal = (run: Spent) =>
    run.toolCalls >= toolCalls ? cancel(`no more than ${toolCalls} tool calls a run`) : undefined;
  return defineHooks(
    "limit",
    {
      loopStart({ meta }) {
        spent(meta);
      },
      // Before anybody is asked about a call that will not run.
      preToolCall: ({ meta, response }) => (response === undefined ? refusal(spent(meta)) : undefined),
      // The last that is asked before a call runs. Tiers at once are one run: another may have come first by now.
      permissionCheck({ meta, permission }) {
        if (permission !== "allow") return undefined;
        const run = spent(meta);
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
