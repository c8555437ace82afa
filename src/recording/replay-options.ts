// Converts the options of a recording for the session and the runs of a replay.
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { checkResume, checkRun, checkSession } from "../sessions/session-options.js";
import { tiersToWire } from "../sessions/tier-options.js";
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

type PlaceCheck = [place: string, check: () => unknown];

function toolChecks(tools: readonly RecordedTool[], place: string): PlaceCheck[] {
  return [
    ...tools.map((tool, index): PlaceCheck => [`${place}/${index}`, () => checkTool(tool)]),
    [place, () => checkSession({ tools: tools.map(({ name }) => ({ name, run: () => "" })) })],
  ];
}

export function playableEach(all: unknown): unknown {
  if (!isObject(all)) return all;
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, isObject(one) ? playable(one) : one]));
}

/** A session skips a tool whose schema it cannot use, so no recording contains such a tool. */
function checkTool(tool: RecordedTool): void {
  const faults = checkSession({ tools: [{ ...tool, run: () => "" }] }).tools.map(({ fault }) => fault);
  for (const fault of faults) if (fault !== null) throw new LlamaHooksError("INVALID_SCHEMA", fault);
}

/** Checks the options that a replay would use. `place`: the invalid part of the recording. Null: all valid. */
export function unplayable({
  options,
  tools,
  runs,
  changes = [],
}: Recording): { place: string; cause: unknown } | null {
  const checks: PlaceCheck[] = [
    ["/options", () => checkSession(sessionOptionsOf({ options }))],
    ...toolChecks(tools, "/tools"),
    ...changes.flatMap(({ tools: now = [], tiers }, index) => [
      ...toolChecks(now, `/changes/${index}/tools`),
      [`/changes/${index}/tiers`, () => tiers !== undefined && tiersToWire(playableEach(tiers))] as PlaceCheck,
    ]),
    ...runs.map(({ input, options: given, resume }, index): PlaceCheck => [
      `/runs/${index}/options`,
      () => (resume === undefined ? checkRun(input, playable(given)) : checkResume({}, playable(given))),
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
