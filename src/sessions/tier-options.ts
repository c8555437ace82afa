// Tiers and phases of a session as callers give them, checked and put into the engine's words.
// Must not: know which tools there are; the engine does.
import { checkObject, isObject, optionalStrings, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { type SamplingOptions, samplingKeys, samplingToWire } from "../generate/sampling.js";
import { phaseChecks, type PhaseParameters, tierChecks, type TierParameters } from "../generated/parameters.js";
import { type PermissionRule, rulesToWire } from "./permission-rules.js";

/** Who a session can be, or delegate to. What it leaves out is the session's; sampling options are laid over those. */
export interface TierOptions extends TierParameters, SamplingOptions {
  /** Names of those tools of the session, control tools among them, that it may call [all]. */
  readonly tools?: readonly string[];
  /** Beside the session's and those of the run that delegates to it [none]: of all, the one that allows least holds. */
  readonly permissions?: readonly PermissionRule[];
}

/** What changes in a phase. What it leaves out is the tier's; sampling options are laid over those. */
export interface PhaseOptions extends PhaseParameters, SamplingOptions {
  /** Names of those tools of the tier that may be called in it [all]; `complete` and `phase_change` always may. */
  readonly tools?: readonly string[];
}

const phaseKeys = [...parameterKeys(phaseChecks), ...samplingKeys, "tools"] as const;
const tierKeys = [...parameterKeys(tierChecks), ...samplingKeys, "tools", "permissions"] as const;

/** Errors: `TypeError`, naming what is wrong. */
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

/** Errors: `TypeError`, naming what is wrong. */
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
