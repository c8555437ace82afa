// Converts the options of a recording for the session and the runs of a replay.
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { checkRun, checkSession } from "../sessions/session-options.js";
import type { RecordedTool, Recording } from "./recording.js";

/** Removes options that make no sense with a script model, whose prompts have many times the tokens. */
export function playable(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { maxRunMs: _ms, maxRunTokens: _tokens, adapters: _adapters, maxTokens: _max, ...rest } = options;
  return rest;
}

export function sessionOptionsOf({ options }: Pick<Recording, "options">): Record<string, unknown> {
  const { tiers, phases, ...rest } = options;
  return {
    ...playable(rest),
    compaction: "off",
    injectionReserve: 2 ** 20,
    ...(tiers !== undefined && { tiers: playableEach(tiers) }),
    ...(phases !== undefined && { phases: playableEach(phases) }),
  };
}

function playableEach(all: unknown): unknown {
  if (!isObject(all)) return all;
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, isObject(one) ? playable(one) : one]));
}

/** A session skips a tool whose schema it cannot use, so no recording contains such a tool. */
function checkTool(tool: RecordedTool): void {
  const faults = checkSession({ tools: [{ ...tool, run: () => "" }] }).tools.map(({ fault }) => fault);
  for (const fault of faults) if (fault !== null) throw new LlamaHooksError("INVALID_SCHEMA", fault);
}

/** Checks the options that a replay would use. `place`: the invalid part of the recording. Null: all valid. */
export function unplayable({ options, tools, runs }: Recording): { place: string; cause: unknown } | null {
  const checks: [place: string, check: () => unknown][] = [
    ["/options", () => checkSession(sessionOptionsOf({ options }))],
    ...tools.map((tool, index): [string, () => unknown] => [`/tools/${index}`, () => checkTool(tool)]),
    ["/tools", () => checkSession({ tools: tools.map(({ name }) => ({ name, run: () => "" })) })],
    ...runs.map(({ input, options: given }, index): [string, () => unknown] => [
      `/runs/${index}/options`,
      () => checkRun(input, playable(given)),
    ]),
  ];
  for (const [place, check] of checks) {
    try {
      check();
    } catch (cause) {
      return { place, cause };
    }
  }
  return null;
}
