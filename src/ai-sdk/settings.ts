// The settings of a provider, and the options of the engine that a call may carry.
import { checkObject, isObject, optionalName, optionalOneOf, optionError, wrong } from "../base/check.js";
import { defaultModelId, type Engine, type GenerateOptions, type HookSet, type HookSets } from "../index.js";
import type { Spec } from "./specification.js";

/**
 * Options of `generate()` for calls of a language model: sampling parameters, hooks, adapters, tags and others. The AI
 * SDK has other settings for the options that are left out here.
 */
export type LlamaHooksCallOptions = Omit<GenerateOptions, "model" | "tools" | "toolChoice" | "jsonSchema" | "signal">;

/** Options of `llamaHooks()`. */
export interface LlamaHooksSettings<S extends Spec = Spec> {
  /** Version of the provider interface: AI SDK 6 takes "v3" only, AI SDK 7 both ["v3"]. */
  readonly spec?: S;
  /** Id of the model that `provider()` without an id gives ["default", the id of `createEngine({ model })`]. */
  readonly model?: string;
  /**
   * Options of every call of a language model [none]. A call's own settings and `providerOptions.llamaHooks` override
   * them; hooks and tags are added to them.
   */
  readonly generate?: LlamaHooksCallOptions;
}

/** Checked settings. */
export interface Setup<S extends Spec = Spec> {
  readonly engine: Engine;
  readonly spec: S;
  readonly model: string;
  readonly generate: LlamaHooksCallOptions;
}

/** Errors: `TypeError`, with the wrong option. */
export function checkSettings<S extends Spec>(engine: unknown, settings: LlamaHooksSettings<S> | undefined): Setup<S> {
  // An engine of another copy of the package is one, too.
  if (typeof (engine as Engine | undefined)?.generate !== "function")
    throw wrong("The engine of llamaHooks()", "an engine", engine);
  const given = checkObject(settings, "llamaHooks() options", ["spec", "model", "generate"]);
  const spec = optionalOneOf(given.spec, "llamaHooks() options.spec", ["v3", "v4"]) ?? "v3";
  const model = optionalName(given.model, "llamaHooks() options.model") ?? defaultModelId;
  const generate = checkCallOptions(given.generate, "llamaHooks() options.generate");
  return { engine: engine as Engine, spec: spec as S, model, generate };
}

const reserved: Readonly<Record<string, string>> = {
  model: "the id that the provider is called with",
  tools: "tools of the AI SDK",
  toolChoice: "toolChoice of the AI SDK",
  jsonSchema: "output of the AI SDK",
  signal: "abortSignal of the AI SDK",
};

/** The engine checks the options themselves. */
function checkCallOptions(value: unknown, what: string): LlamaHooksCallOptions {
  const given = optionsOf(value, what);
  for (const [key, instead] of Object.entries(reserved))
    if (given[key] !== undefined)
      throw optionError(`${what}.${key}`, `${what}.${key} is not an option here: use ${instead}`);
  return given;
}

function optionsOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(what, "an object", value);
  return value;
}

/** The name of this provider in `providerOptions` and `providerMetadata`. */
export const providerKey = "llamaHooks";

const place = `providerOptions.${providerKey}`;

/** The options of this provider that a call carries. */
export function providerOptionsOf(
  options: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  return optionsOf(options?.[providerKey], place);
}

/** The options of a call: those of the provider, then the AI SDK's own settings, then the call's `providerOptions`. */
export function mergedOptions(
  defaults: LlamaHooksCallOptions,
  settings: GenerateOptions,
  providerOptions: Readonly<Record<string, unknown>> | undefined,
): GenerateOptions {
  const own = checkCallOptions(providerOptionsOf(providerOptions), place);
  const hooks = [...setsOf(defaults.hooks), ...setsOf(own.hooks)];
  const tags = isObject(own.tags) || own.tags === undefined ? { ...defaults.tags, ...own.tags } : own.tags;
  return {
    ...defaults,
    ...settings,
    ...own,
    ...(hooks.length > 0 && { hooks }),
    ...((defaults.tags ?? own.tags) !== undefined && { tags }),
  };
}

function setsOf(hooks: HookSet | HookSets | undefined): HookSets {
  return hooks === undefined ? [] : Array.isArray(hooks) ? (hooks as HookSets) : [hooks as HookSet];
}
