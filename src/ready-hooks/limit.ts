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
 * Limits for every run of an engine. Calls that other hooks refuse do not count, and nothing under way is cut off: the options
 * `maxRunTokens` and `maxRunMs` of a session do that. Errors: `TypeError`.
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
  return defineHooks(
    "limit",
    {
      loopStart({ meta }) {
        spent(meta);
      },
      preToolCall({ meta, response }) {
        if (response !== undefined) return undefined;
        const run = spent(meta);
        if (run.toolCalls >= toolCalls) return cancel(`no more than ${toolCalls} tool calls a run`);
        run.toolCalls++;
        return undefined;
      },
      postGenerate({ meta, usage }) {
        // A generation outside of a session is no run: nothing says when it is forgotten.
        if (meta.sessionId !== null) spent(meta).tokens += usage.promptTokens + usage.completionTokens;
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
