// Emits process warnings for hooks that fail and for tools that cannot be offered, in a sentence that names hook,
// point, line and remedy. The engine decides what to warn of: the first failure of each hook, if no hook at `error`
// receives it.
import type { Causes } from "../base/causes.js";
import { LlamaHooksError } from "../base/errors.js";
import { pointName } from "../base/point-names.js";
import type { ErrorCode } from "../generated/errors.js";
import { type PointName, POINTS } from "../generated/points.js";

/** A warning of the engine. Only the warning of a hook has the fields after `message`. */
interface WireWarning {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hook_id?: number;
  readonly hook: string;
  readonly point: number;
  readonly location: string | null;
  readonly effect: Effect;
  readonly cause_id: number;
}

type Effect = "skipped" | "cancelled" | "refused" | "counted";

/** A failure of a hook. */
export interface FailedHook {
  readonly name: string;
  readonly point: PointName;
  /** The file and line at which it was registered. */
  readonly location: string | undefined;
  readonly code: ErrorCode;
  /** The failure in words. May begin with the hook and its point. */
  readonly why: string;
  readonly effect: Effect | "observed";
  /** The thrown value; absent if nothing was thrown. */
  readonly thrown?: { readonly cause: unknown };
}

/** The maximum length of a quoted message: thrown values may have messages of any length. */
const mostWords = 1000;

/** Handles a warning of the engine. */
export function warnOf(json: string, causes: Causes): void {
  const {
    code,
    message,
    hook_id: id,
    hook,
    point,
    location,
    effect,
    cause_id: causeId,
  } = JSON.parse(json) as WireWarning;
  if (id === undefined) {
    process.emitWarning(new LlamaHooksError(code, bounded(message)));
    return;
  }
  warnOfHook({
    name: hook,
    point: pointName(point),
    location: location ?? undefined,
    code,
    why: message,
    effect,
    ...(causes.has(causeId) && { thrown: { cause: causes.get(causeId) } }),
  });
}

/** Emits a process warning. */
export function warnOfHook({ name, point, location, code, why, effect, thrown }: FailedHook): void {
  const prefix = `hook ${JSON.stringify(name)} at ${point}: `;
  const what = bounded(why.startsWith(prefix) ? why.slice(prefix.length) : why);
  const at = location === undefined ? "" : `, registered at ${location}`;
  const message = `The hook ${JSON.stringify(name)} at ${point}${at}, failed: ${what.replace(/\.?$/, ".")} ${remedy(code, point, effect)}`;
  process.emitWarning(new LlamaHooksError(code, message, thrown ?? {}));
}

function remedy(code: ErrorCode, point: PointName, effect: FailedHook["effect"]): string {
  const did = {
    skipped: "The engine went on without it.",
    cancelled: "This cancelled, because the hook fails closed.",
    refused: "What it refused stays refused.",
    counted: "",
    observed: "Nobody waits for an observer, so nothing else changed.",
  }[effect];
  const known = code === "HOOK_BAD_ANSWER" ? answers[POINTS[point].kind] : (cures[code] ?? "");
  const cure = effect === "skipped" || effect === "observed" ? known : "";
  return [did, cure, "Later failures of this hook are only counted, in engine.hooks.stats()."]
    .filter((words) => words !== "")
    .join(" ");
}

const cures: Partial<Record<ErrorCode, string>> = {
  HOOK_FAILED: "Catch what it may throw, or register it with failClosed if nothing may go on without it.",
  HOOK_TIMEOUT: "Settle its promise on every path, or give it a longer deadlineMs (0: no deadline).",
};

const answers = {
  pre: "Return undefined to leave all as it is, the fields to change, or cancel(reason) to refuse.",
  post: "Return undefined to leave all as it is, or the fields to change.",
  info: "Return undefined: this point takes no answer.",
} as const;

function bounded(words: string): string {
  return words.length > mostWords ? `${words.slice(0, mostWords)} ...` : words;
}
