// `llama-hooks hooks <address>`: the hooks of a running engine, as its inspector has them. Must not: send the token to
// another machine.
import { wrap } from "../../base/wrap.js";
import { type HookEndedEvent, type HookInfo, type HookStats, LlamaHooksError } from "../../index.js";
import { jsonLine } from "../process/json-line.js";
import { sanitize, sanitizeData } from "../process/sanitize.js";
import { duration } from "../view/duration.js";
import { hookCounts } from "../view/hook-counts.js";

/** A hook of the list. One that is not called any more has `ended`. */
type Listed = (HookInfo & HookStats) | (HookEndedEvent & { readonly ended: true });

/** The part of an inspector's answer that this file needs. Without a state the inspector shows files only. */
interface StateAnswer {
  readonly state?: {
    readonly hooks: readonly (HookInfo & HookStats)[];
    readonly ended: readonly HookEndedEvent[];
  };
}

const mostColumns = 80;
const indent = " ".repeat(6);
const hosts: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Returns the hooks of the engine behind the address that an inspector printed: one object a line, or as text for
 * `columns`. Errors: INVALID_ARGUMENT if the address is not an inspector's, or no inspector answers there.
 */
export async function engineHooks(address: string, json: boolean, columns: number): Promise<string> {
  const hooks = await readHooks(address);
  if (json) return hooks.map((hook) => jsonLine(hook)).join("");
  if (hooks.length === 0) return "The engine has no hooks.\n";
  const width = Math.min(columns, mostColumns);
  return `${hooks.map((hook) => described(sanitizeData(hook), width)).join("\n\n")}\n`;
}

async function readHooks(address: string): Promise<Listed[]> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const token = url?.hash.slice(1) ?? "";
  if (url?.protocol !== "http:" || !hosts.includes(url.hostname) || token === "")
    throw refused("an address as --inspect prints it is needed, with its token: http://127.0.0.1:40123/#pq3...");
  let answer: StateAnswer;
  let status: number;
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(new URL("/state", url.origin), { headers, redirect: "error" });
    status = response.status;
    answer = (await response.json()) as StateAnswer;
  } catch (cause) {
    throw refused(`no inspector answers at ${url.origin}: its engine may have ended`, cause);
  }
  if (status !== 200) throw refused(`${url.origin} does not take this token (status ${status})`);
  const { state } = answer;
  if (state === undefined) throw refused(`the inspector at ${url.origin} shows saved files only`);
  return [...state.hooks, ...state.ended.map((hook) => ({ ...hook, ended: true as const }))];
}

function refused(why: string, cause?: unknown): LlamaHooksError {
  return new LlamaHooksError("INVALID_ARGUMENT", why, cause === undefined ? {} : { cause });
}

function described(hook: Listed, columns: number): string {
  const { point, name, location, when, fired, matched, totalUs } = hook;
  const { calls, modifications, cancels: vetoes, failures } = hook;
  const of = hook.sessionId !== null ? `, session ${hook.sessionId}` : "";
  const lines = [
    ...(when === null ? [] : [`when ${JSON.stringify(when)}`]),
    `fired ${fired}, matched ${matched}: ${hookCounts({ calls, modifications, vetoes, failures })}, ${duration(totalUs)}`,
    ...(location === null ? [] : [sanitize(location)]),
  ];
  const head = `${point}  ${name === "" ? `hook ${hook.id}` : name}${of}${"ended" in hook ? ", ended" : ""}`;
  return [
    head,
    ...lines.flatMap((line) => wrap(line, columns - indent.length, "  ")).map((line) => indent + line),
  ].join("\n");
}
