// createEngine(): checks the options, loads the native libraries, and loads the first models.
import {
  checkObject,
  isObject,
  optionalBoolean,
  optionalFunction,
  optionalInteger,
  optionalSignal,
  requiredString,
  wrong,
} from "./base/check.js";
import { calledAt } from "./base/call-site.js";
import { checkParameters, parameterKeys, parametersToWire } from "./base/check-parameters.js";
import { engineChecks, type EngineParameters } from "./generated/parameters.js";
import { type HookSet, type HookSets, hookSetsOf } from "./hooks/define-hooks.js";
import { Engine, type EngineParts } from "./engine.js";
import { LlamaHooksError } from "./base/errors.js";
import { findAddon } from "./native/find-addon.js";
import { triesGpuModules } from "./native/gpu-trial.js";
import { tryRpcServers } from "./native/rpc-trial.js";
import { type Gpu, gpuModules, gpus } from "./native/libraries.js";
import type { OnDownload } from "./download/download.js";
import { bundledModel } from "./models/model-files.js";
import {
  checkLoad,
  checkModel,
  checkProvided,
  type LoadOptions,
  loadKeys,
  type ModelOptions,
  type OnProgress,
  type ProvidedModelOptions,
} from "./models/model-options.js";
import { nativeAddon } from "./native/addon.js";
import { requireUsable } from "./native/usable-module.js";
import { folderStore } from "./stores/folder-store.js";
import type { SessionStore } from "./stores/session-store.js";
import { checkStore, StoreCalls } from "./stores/store-calls.js";

/** Options of `createEngine()`. The load options here are the defaults of every model. */
export interface EngineOptions extends LoadOptions, EngineParameters {
  /**
   * One model, loaded as "default": a path, or a name or address that `downloadModel()` takes [the model that comes
   * with the package].
   */
  readonly model?: string;
  /** Several models by id. `{}` loads none. */
  readonly models?: Readonly<Record<string, string | ModelOptions | ProvidedModelOptions>>;
  /** The GPU backend ["auto"]. A process has one backend: the first engine chooses it. */
  readonly gpu?: Gpu;
  /** Hooks that are added before any model is loaded, so that their modelLoad hooks run. */
  readonly hooks?: HookSet | HookSets;
  /** Aborts the loading: createEngine() then rejects with CANCELLED. */
  readonly signal?: AbortSignal;
  /** Called with the progress of each load. */
  readonly onProgress?: OnProgress;
  /**
   * True: the engine may download models by plain HTTP [false]. Otherwise addresses and redirects must be HTTPS; only
   * this machine (localhost) may be reached by HTTP.
   */
  readonly allowHttp?: boolean;
  /** Called with the progress of each download. */
  readonly onDownload?: OnDownload;
  /**
   * The store of `engine.sessions` [none]: a folder, for `folderStore()`, or a store such as `sqliteStore()` or one of
   * your own.
   */
  readonly sessionStore?: SessionStore | string;
  /**
   * Milliseconds after which another process may take over a stored session whose process does not renew its lease
   * [30000]: at least 100. If the process has died on this machine, another one need not wait (on Linux).
   */
  readonly sessionLeaseMs?: number;
  /** Milliseconds that a call of the session store may take [30000]; then it has failed. 0: no limit. */
  readonly sessionStoreTimeoutMs?: number;
}

/** The id of the model that is loaded when `models` is not given. */
export const defaultModelId = "default";

const engineKeys = parameterKeys(engineChecks);
const keys = [
  ...loadKeys,
  ...engineKeys,
  "model",
  "models",
  "gpu",
  "hooks",
  "signal",
  "onProgress",
  "allowHttp",
  "onDownload",
  "sessionStore",
  "sessionLeaseMs",
  "sessionStoreTimeoutMs",
] as const;
const logLevels = engineChecks.logLevel.values;

/**
 * Creates an engine and loads its models, except lazy ones. A string is the option `model`. If a load fails, the engine
 * is closed and the promise rejects with the error of `models.load()`.
 * Errors: BACKEND_UNAVAILABLE (also for an RPC server that cannot be reached), VERSION_MISMATCH, ADDON_MISSING,
 * ADDON_NOT_LOADED, PLATFORM_UNSUPPORTED, INSUFFICIENT_MEMORY, and those of `models.load()`.
 *
 * @example
 * ```ts
 * const engine = await createEngine({ model: "qwen3-4b.gguf", contextSize: 8192 }); // without a model: the bundled one
 * const { text } = await engine.generate("Hello!");
 * console.log(text);
 * await engine.close();
 * ```
 */
export function createEngine(options?: string | EngineOptions): Promise<Engine> {
  return calledAt(createEngine, () => create(typeof options === "string" ? { model: options } : options));
}

async function create(options: EngineOptions | undefined): Promise<Engine> {
  const given = checkObject(options, "createEngine() options", keys);
  const gpu = given.gpu === undefined ? "auto" : given.gpu;
  if (!gpus.includes(gpu as Gpu)) throw wrong("gpu", '"auto", "cuda", "metal", "vulkan" or false', gpu);
  const plain = checkParameters(engineChecks, given, "") as EngineParameters;
  const models = modelsOf(given, checkLoad(given, "createEngine() options"));
  const hooks = given.hooks === undefined ? [] : hookSetsOf(given.hooks, "hooks");
  const signal = optionalSignal(given.signal, "signal");
  const allowHttp = optionalBoolean(given.allowHttp, "allowHttp") ?? false;
  optionalFunction(given.onProgress, "onProgress");
  optionalFunction(given.onDownload, "onDownload");
  const ignoresFailures = plain.onHookFailure === "ignore";
  const parts = { downloading: { allowHttp }, ignoresFailures, ...storesOf(given) };
  const onProgress = given.onProgress as OnProgress | undefined;
  const onDownload = given.onDownload as OnDownload | undefined;

  const engine = await openEngine(gpu as Gpu, plain, parts, signal);
  try {
    engine.hooks.use(hooks);
    const control = { ...(signal && { signal }), ...(onProgress && { onProgress }), ...(onDownload && { onDownload }) };
    for (const [id, model] of models) await engine.models.load(id, model, control);
    return engine;
  } catch (error) {
    await engine.close().catch(() => undefined); // the caller gets the first error
    throw error;
  }
}

async function openEngine(
  gpu: Gpu,
  { logLevel, ...parameters }: EngineParameters,
  parts: EngineParts,
  signal: AbortSignal | undefined,
): Promise<Engine> {
  const addon = nativeAddon();
  if (logLevel !== undefined) addon.logToStderr(logLevels.indexOf(logLevel) as 0 | 1 | 2 | 3 | 4);
  const { libraries, host, rpcModule } = findAddon();
  const usesRpc = (parameters.rpc ?? []).length > 0;
  const common = {
    ...parametersToWire(parameters),
    ...(parameters.isolation === "process" && { host_program: host }),
    ...(usesRpc && { rpc_module: rpcModule }),
    libraries,
    gpu: gpu !== false || usesRpc, // the devices of servers are GPUs, too
  };
  if (usesRpc) await tryRpcServers({ ...common, gpu_module: null }, signal);
  const modules = gpuModules(gpu);
  for (const [index, module] of modules.entries()) {
    const options = { ...common, gpu_module: module };
    const isLast = index + 1 === modules.length;
    let isTried = false;
    try {
      if (module !== null) await requireUsable(module, { warns: !isLast, signal });
      isTried = triesGpuModules();
      return new Engine(addon, JSON.stringify(options), parts);
    } catch (error) {
      // Where the module works, it is a server that failed, and it would fail with the next module, too.
      const mayGoOn = !isLast && !(usesRpc && isTried);
      if (!mayGoOn || !(error instanceof LlamaHooksError) || error.code !== "BACKEND_UNAVAILABLE") throw error;
    }
  }
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `No backend for gpu ${JSON.stringify(gpu)}`);
}

function storesOf(given: {
  sessionStore?: unknown;
  sessionLeaseMs?: unknown;
  sessionStoreTimeoutMs?: unknown;
}): Pick<EngineParts, "stores" | "leaseMs"> {
  const { sessionStore } = given;
  const leaseMs = optionalInteger(given.sessionLeaseMs, "sessionLeaseMs", 100) ?? 30_000;
  const timeoutMs = optionalInteger(given.sessionStoreTimeoutMs, "sessionStoreTimeoutMs", 0) ?? 30_000;
  if (sessionStore === undefined) return { stores: undefined, leaseMs };
  const store =
    typeof sessionStore === "string"
      ? folderStore(requiredString(sessionStore, "sessionStore"))
      : checkStore(sessionStore, "sessionStore");
  return { stores: new StoreCalls(store, timeoutMs), leaseMs };
}

function modelsOf(
  given: { model?: unknown; models?: unknown },
  defaults: LoadOptions,
): [string, ModelOptions | ProvidedModelOptions][] {
  if (given.models === undefined) {
    const path = given.model === undefined ? bundledModel : requiredString(given.model, "model");
    return [[defaultModelId, { ...defaults, path }]];
  }
  if (given.model !== undefined) throw new TypeError("createEngine() takes model or models, not both");
  if (!isObject(given.models)) throw wrong("models", "an object of models by id", given.models);
  return Object.entries(given.models).map(([id, value]) => {
    if (checkProvided(value, `models.${id}`) !== undefined) return [id, value as ProvidedModelOptions];
    return [id, { ...defaults, ...checkModel(value, `models.${id}`) }];
  });
}
