// The adapters of an engine: LoRA, aLoRA and control vectors. Must not: hold any; their models do.
import path from "node:path";
import { checkObject, requiredString, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { camelDeep, toJson } from "../base/wire.js";
import { checkAdapters } from "../generate/sampling.js";
import { adapterChecks, type AdapterParameters } from "../generated/parameters.js";
import type { Adapter, AdapterChoice } from "../generated/points.js";
import type { AdapterInfo } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import { Task } from "../native/task.js";

/** An adapter (a LoRA, an aLoRA or a control vector) and how it is loaded. */
export interface AdapterOptions extends AdapterParameters {
  /** Path of a GGUF file. */
  readonly path: string;
}

const keys = ["path", ...parameterKeys(adapterChecks)] as const;

/** `engine.adapters`. An id is of one adapter of the engine, whichever model it is for. */
export class Adapters {
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #begins: () => void;

  /** Made by the engine only. `begins`: told before hooks may be asked. */
  constructor(native: NativeEngine, errors: NativeErrors, begins: () => void) {
    this.#begins = begins;
    this.#native = native;
    this.#errors = errors;
  }

  /**
   * Loads an adapter, a LoRA, an aLoRA or a control vector, under the name `id`. It acts where the option `adapters` of a session, a run or a generation, or
   * `swap()`, names it; it goes when its model is unloaded.
   * Room is asked for as for a model, with `vramPressure`; a cold model is loaded.
   * Errors: ADAPTER_IN_USE, ADAPTER_INCOMPATIBLE (it is of another model), MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, INSUFFICIENT_MEMORY,
   * INVALID_ARGUMENT (the plan of a hook), MODEL_NOT_LOADED, CLOSED.
   */
  async load(id: string, options: AdapterOptions): Promise<AdapterInfo> {
    requiredString(id, "The id of an adapter");
    const what = "adapters.load() options";
    const given = checkObject(options, what, keys);
    const file = path.resolve(requiredString(given.path, `${what}.path`)); // the engine may read it again, from elsewhere
    const json = toJson({ path: file, ...parametersToWire(checkParameters(adapterChecks, given, what)) });
    this.#begins();
    const task = new Task((_, onEnd) => this.#native.loadAdapter(id, json, onEnd), { errors: this.#errors });
    return camelDeep(JSON.parse(await task.ended)) as AdapterInfo;
  }

  /**
   * Unloads an adapter once the generations that use it have ended; others do not get it from now on. Errors: NOT_FOUND;
   * REENTRANT inside a hook at the tokens of a generation that runs with adapters of its model; CLOSED.
   */
  async unload(id: string): Promise<void> {
    requiredString(id, "The id of an adapter");
    await new Task((_, onEnd) => this.#native.unloadAdapter(id, onEnd), { errors: this.#errors }).ended;
  }

  /** The loaded adapters. */
  list(): readonly AdapterInfo[] {
    return camelDeep(JSON.parse(this.#errors.call(() => this.#native.listAdapters()))) as AdapterInfo[];
  }

  /**
   * Has a session run with these adapters from the next model call on that is assembled, also while a run is under way, in the place of
   * those of its options, tiers and phases; `adapters` of a run go before them. An empty list: none. adapterSwap fires,
   * unless it is the set that is active; what is active then, as hooks left it, is the result. A fork of the session has
   * them too; a saved session does not.
   * Errors: NOT_FOUND (the session is closed, or an adapter is not loaded), MODEL_NOT_LOADED, HOOK_CANCELLED (nothing has
   * changed), CLOSED.
   */
  async swap(session: { readonly id: string }, adapters: readonly AdapterChoice[]): Promise<readonly Adapter[]> {
    const id: unknown = (session as { readonly id?: unknown } | undefined)?.id;
    if (typeof id !== "string") throw wrong("The session of adapters.swap()", "a session", session);
    const chosen = checkAdapters(adapters, "The adapters of swap()");
    if (chosen === undefined) throw wrong("The adapters of swap()", "an array of { id, scale }", adapters);
    const json = toJson({ adapters: chosen });
    this.#begins();
    const task = new Task((_, onEnd) => this.#native.swapAdapters(id, json, onEnd), { errors: this.#errors });
    return (camelDeep(JSON.parse(await task.ended)) as { adapters: Adapter[] }).adapters;
  }
}
