// Finds the hook because of which a measurement makes no sense: it fails whenever it is called, or never answers.
import { type GenerateResult, type HookInfo, type HookStats, LlamaHooksError } from "../../index.js";
import { hookLabel, nameOf, warnedOf } from "./hook-counts.js";

/** Errors: that of a hook which fails whenever it is called. `warnings`: those of the process so far. */
export function checkFailures(
  listed: readonly HookInfo[],
  stats: readonly HookStats[],
  decisions: GenerateResult["decisions"],
  warnings: readonly Error[],
): void {
  const late = timedOut(listed, stats);
  if (late !== undefined) throw late;
  const failed = stats.find(({ calls, failures }) => calls > 0 && failures >= calls);
  if (failed === undefined) return;
  const errors = decisions.flatMap(({ hooks }) => hooks).filter(({ id }) => id === failed.id);
  const { code, message } =
    errors.find(({ error }) => error !== undefined)?.error ?? warnedOf(failed.point, [failed.name], warnings);
  const why = message.replace(`hook ${JSON.stringify(failed.name)} at ${failed.point}: `, "");
  const calls = failed.calls === 1 ? "its only call" : `each of its ${failed.calls} calls`;
  throw new LlamaHooksError(
    code,
    `${named(listed, failed)} failed in ${calls}, so that its cost cannot be measured: ${why}`,
  );
}

/** A hook that passed its deadline whenever it was called. */
export function timedOut(listed: readonly HookInfo[], stats: readonly HookStats[]): LlamaHooksError | undefined {
  for (const hook of stats) {
    const { calls, failures, totalUs } = hook;
    const { deadlineMs = 0 } = listed.find(({ id }) => id === hook.id) ?? {};
    if (deadlineMs === 0 || calls === 0 || failures < calls || totalUs / calls < deadlineMs * 1000) continue;
    return new LlamaHooksError(
      "HOOK_TIMEOUT",
      `${named(listed, hook)} did not answer within ${deadlineMs} ms: settle its promise on every path`,
    );
  }
  return undefined;
}

export function stuck(listed: readonly HookInfo[], stats: readonly HookStats[], seconds: number): LlamaHooksError {
  const waits = stats.find(({ calls, matched }) => matched > calls);
  const who =
    waits === undefined ? "the generation with the hooks did not go on" : `${named(listed, waits)} did not answer`;
  return new LlamaHooksError("HOOK_TIMEOUT", `${who} for ${seconds} seconds: settle its promise on every path`);
}

function named(listed: readonly HookInfo[], { id, name, point }: HookStats): string {
  const info = listed.find((hook) => hook.id === id);
  if (info === undefined) return `the hook ${name} at ${point}`;
  const own = nameOf(info);
  const where = own === "" || info.location === null ? "" : ` (${info.location})`;
  return `the hook ${hookLabel({ ...info, name: own })}${where}`;
}
