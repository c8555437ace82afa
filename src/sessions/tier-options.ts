// Checks tiers and phases of a session and converts them for the engine. The engine checks the names of tools.
import { checkObject, isObject, optionalStrings, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "../generate/sampling.js";
import { phaseChecks, type PhaseParameters, tierChecks, type TierParameters } from "../generated/parameters.js";
import { type PermissionRule, rulesToWire } from "./permission-rules.js";

/**
 * A role that a session can take or delegate to. Omitted options are the session's; sampling options override the
 * session's one by one.
 */
export interface TierOptions extends TierParameters, SamplingOptions {
  /** Names of the session's tools, control tools included, that it may call [all]. */
  readonly tools?: readonly string[];
  /**
   * Permission rules in addition to those of the session and of the delegating run [none]. The most restrictive result
   * applies.
   */
  readonly permissions?: readonly PermissionRule[];
}

/** The options of a phase. Omitted options are the tier's; sampling options override the tier's one by one. */
export interface PhaseOptions extends PhaseParameters, SamplingOptions {
  /**
   * Names of the tier's tools that may be called in this phase [all]. `complete` and `phase_change` are always allowed.
   */
  readonly tools?: readonly string[];
}

const phaseKeys = [...parameterKeys(phaseChecks), ...samplingKeys, "tools"] as const;
const tierKeys = [...parameterKeys(tierChecks), ...samplingKeys, "tools", "permissions"] as const;

/** Errors: `TypeError`, with the wrong option. */
export function tiersToWire(tiers: unknown): Record<string, unknown> {
  return byName(tiers, "tiers", (options, what) => {
    const given = checkObject(options, what, tierKeys);
    return {
      ...parametersToWire(checkParameters(tierChecks, given, what)),
      ...toolsAndSampling(given, what),
      ...(given.permissions !== undefined && { permissions: rulesToWire(given.permissions, `${what}.permissions`) }),
    };
  });
}

/** Errors: `TypeError`, with the wrong option. */
export function phasesToWire(phases: unknown): Record<string, unknown> {
  return byName(phases, "phases", (options, what) => {
    const given = checkObject(options, what, phaseKeys);
    return { ...parametersToWire(checkParameters(phaseChecks, given, what)), ...toolsAndSampling(given, what) };
  });
}

function byName(
  all: unknown,
  what: string,
  toWire: (options: unknown, what: string) => object,
): Record<string, object> {
  if (!isObject(all)) throw wrong(what, "an object of options by name", all);
  const entries = Object.entries(all).map(([name, options]) => [name, toWire(options, `${what}.${name}`)] as const);
  return Object.fromEntries(entries);
}

function toolsAndSampling(given: { readonly [P in (typeof phaseKeys)[number]]?: unknown }, what: string): object {
  const tools = optionalStrings(given.tools, `${what}.tools`);
  return { ...(tools !== undefined && { tools }), params: samplingToWire(given, what) };
}
