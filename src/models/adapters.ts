// engine.adapters: loads, unloads and swaps LoRA, aLoRA and control vectors.
import path from "node:path";
import { errorsNameCallers } from "../base/call-site.js";
import { checkObject, requiredString, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { unpackedPath } from "../base/unpacked-path.js";
import { camelDeep, toJson } from "../base/wire.js";
import { checkAdapters } from "../generate/sampling.js";
import { adapterChecks, type AdapterParameters } from "../generated/parameters.js";
import type { Adapter, AdapterChoice } from "../generated/points.js";
import type { AdapterInfo } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import { Task } from "../native/task.js";

/** An adapter (LoRA, aLoRA or control vector) and how it is loaded. */
export interface AdapterOptions extends AdapterParameters {
  /** Path of a GGUF file. */
  readonly path: string;
}

const keys = ["path", ...parameterKeys(adapterChecks)] as const;

/** The adapters of an engine (`engine.adapters`). Each id names one adapter of the engine, whatever its model. */
export class Adapters {
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #begins: () => void;

  static {
    errorsNameCallers(Adapters, "load", "unload", "swap");
  }

  /** Called by the engine only. `begins` is called before hooks may run. */
  constructor(native: NativeEngine, errors: NativeErrors, begins: () => void) {
    this.#begins = begins;
    this.#native = native;
    this.#errors = errors;
  }

  /**
   * Loads an adapter, given by its path or with options, under the name `id`. It is used where `swap()` or the option
   * `adapters` of a session, a run or a generation names it, and is unloaded with its model.
   * Memory is requested as for a model, with `vramPressure`; a cold model is loaded first.
   * Errors: ADAPTER_IN_USE, ADAPTER_INCOMPATIBLE (made for another model), MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID,
   * INSUFFICIENT_MEMORY, INVALID_ARGUMENT (a hook's plan), MODEL_NOT_LOADED, CLOSED.
   *
   * @example
   * ```ts
   * await engine.adapters.load("pirate", { path: "pirate.gguf", scale: 0.5 });
   * await engine.generate("Hello", { adapters: [{ id: "pirate" }] });
   * ```
   */
  async load(id: string, options: string | AdapterOptions): Promise<AdapterInfo> {
    requiredString(id, "The id of an adapter");
    const what = "adapters.load() options";
    const given = checkObject(typeof options === "string" ? { path: options } : options, what, keys);
    const file = unpackedPath(path.resolve(requiredString(given.path, `${what}.path`))); // the engine may reload it after the working directory changed
    const json = toJson({ path: file, ...parametersToWire(checkParameters(adapterChecks, given, what)) });
    this.#begins();
    const task = new Task((_, onEnd) => this.#native.loadAdapter(id, json, onEnd), { errors: this.#errors });
    return camelDeep(JSON.parse(await task.ended)) as AdapterInfo;
  }

  /**
   * Unloads an adapter once the generations that use it have ended; new generations cannot use it. Errors: NOT_FOUND;
   * REENTRANT if called inside a token hook of a generation that uses adapters of the same model; CLOSED.
   *
   * @example
   * ```ts
   * await engine.adapters.unload("pirate");
   * ```
   */
  async unload(id: string): Promise<void> {
    requiredString(id, "The id of an adapter");
    await new Task((_, onEnd) => this.#native.unloadAdapter(id, onEnd), { errors: this.#errors }).ended;
  }

  /** Returns the loaded adapters. */
  list(): readonly AdapterInfo[] {
    return camelDeep(JSON.parse(this.#errors.call(() => this.#native.listAdapters()))) as AdapterInfo[];
  }

  /**
   * Makes a session use these adapters from its next model call on, also during a run. They replace the adapters of the
   * session's options, tiers and phases; `adapters` of a run take precedence. An empty list means no adapters.
   * adapterSwap fires unless the set is already active. Returns the active adapters, as hooks left them. A fork of the
   * session inherits them; a saved session does not.
   * Errors: NOT_FOUND (the session is closed, or an adapter is not loaded), MODEL_NOT_LOADED, HOOK_CANCELLED (nothing
   * has changed), CLOSED.
   *
   * @example
   * ```ts
   * await engine.adapters.swap(session, [{ id: "formal" }]); // from the next model call on
   * await session.run("And now?");
   * ```
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
