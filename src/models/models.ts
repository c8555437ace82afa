// engine.models: loads, unloads, describes and tokenizes. The engine holds the models.
import {
  checkObject,
  got,
  isObject,
  optionalInteger,
  optionalName,
  optionalString,
  optionalSignal,
  requiredString,
  wrong,
} from "../base/check.js";
import { errorsNameCallers } from "../base/call-site.js";
import { callAtOnce } from "../base/callback.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { toolsToWire } from "../generate/generate-request.js";
import {
  detokenizeChecks,
  type DetokenizeOptions,
  renderChecks,
  type RenderOptions,
  tokenizeChecks,
  type TokenizeParameters,
} from "../generated/parameters.js";
import type { ToolChoice } from "../generated/points.js";
import type { ModelEstimate, ModelInfo, ModelUnloadResult } from "../generated/results.js";
import { optionalJsonObject } from "../generate/json-value.js";
import { type MessageInput, messagesToWire } from "../generate/messages.js";
import { checkToolChoice } from "../generate/sampling.js";
import { runProbe } from "./probe.js";
import { type Downloading, orNames, resolveModel } from "./model-files.js";
import {
  checkControl,
  checkModel,
  checkProvided,
  type LoadControl,
  type ModelOptions,
  modelToWire,
  type OnProgress,
  type ProvidedModel,
  type ProvidedModelOptions,
} from "./model-options.js";
import { contextHere } from "../native/callers.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { NativeEngine, NativeTask, OnEnd } from "../native/addon.js";
import { Task } from "../native/task.js";
import { abilities } from "../remote/call-options.js";
import { OwnModels } from "../remote/own-models.js";
import type { RemoteModel } from "../remote/remote.js";
import type { ToolSpec } from "../generate/tool.js";
import { camelDeep, toJson } from "../base/wire.js";

/** Texts of more characters are tokenized on a separate thread: it takes up to some microseconds a character. */
const longText = 4096;

/** Starts a request to a model on a separate thread. */
type StartRequest = (model: string | null, onEnd: OnEnd) => NativeTask;

/** Options of `tokenize()`. */
export interface TokenizeOptions extends TokenizeParameters {
  /** Cancels the call: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** The argument of `engine.models.renderPrompt()`. */
export interface PromptRequest extends RenderOptions {
  /** The messages of the conversation. */
  readonly messages: readonly MessageInput[];
  /** Tools that the prompt declares [none]. */
  readonly tools?: readonly ToolSpec[];
  /** The model may ("auto"), must not ("none") or must ("required") call a tool, or one that is named ["auto"]. */
  readonly toolChoice?: ToolChoice;
  /** Cancels the call: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** Control of `engine.models.probe()`. */
export interface ProbeOptions {
  /** Ends the child process: the probe rejects with CANCELLED. */
  readonly signal?: AbortSignal;
  /** The time for it, in milliseconds [600,000]; 0: no limit. */
  readonly timeoutMs?: number;
}

/** Selects a model. */
export interface ModelChoice {
  /** The model's id [the only loaded model]. */
  readonly model?: string;
}

/** Splits the model's id from the other options. */
export function modelAndRest<T extends object>(options: (T & ModelChoice) | undefined, what: string) {
  if (options === undefined) return [undefined, {} as T] as const;
  if (!isObject(options)) throw wrong(what, "an object", options);
  const { model, ...rest } = options as T & ModelChoice;
  return [optionalName(model, "model"), rest as unknown as T] as const;
}

/** The models of an engine (`engine.models`). The id `undefined` means the only loaded model. */
export class Models {
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #begins: () => void;
  readonly #downloading: Downloading;
  readonly #engineJson: string;
  readonly #own: OwnModels;

  static {
    errorsNameCallers(Models, "load", "estimate", "probe", "unload", "tokenize", "detokenize", "renderPrompt");
  }

  /** Called by the engine only. `begins` is called before long work begins; `engineJson`: the engine's options. */
  constructor(
    native: NativeEngine,
    errors: NativeErrors,
    begins: () => void,
    { downloading, engineJson }: { readonly downloading: Downloading; readonly engineJson: string },
  ) {
    this.#downloading = downloading;
    this.#engineJson = engineJson;
    this.#native = native;
    this.#own = new OwnModels(native);
    this.#errors = errors;
    this.#begins = begins;
  }

  /**
   * Loads a GGUF file, given by its path or with options, under the name `id`. modelLoad fires, then modelReady. With
   * `lazy`, the model is only described now; it is loaded, and the hooks fire, at its first use. Concurrent loads of
   * one id with equal options are shared. If the load fails, or all of its callers abort, no model remains. The engine
   * calls `onProgress` synchronously. If `onProgress` or `onDownload` throws, the load rejects with that value; an
   * async callback is a `TypeError`.
   * Errors: DOWNLOAD_FAILED, MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, UNSUPPORTED_ARCHITECTURE, MODEL_LOAD_FAILED,
   * TEMPLATE_FAILED, MODEL_IN_USE, INVALID_ARGUMENT (a device does not exist), INSUFFICIENT_MEMORY, HOOK_CANCELLED,
   * CANCELLED (by the signal), CLOSED.
   *
   * With `provider` it is a remote model: modelLoad fires with its `address`, and nothing is sent until the model
   * is used. Generations with it may end with REMOTE_UNREACHABLE, REMOTE_REFUSED, REMOTE_FAILED and REMOTE_TIMEOUT, and
   * with UNSUPPORTED_BY_MODEL for what it cannot do (`describe().features`). Errors: MODEL_IN_USE, HOOK_CANCELLED,
   * UNSUPPORTED_BY_MODEL (a hook's answer), UNSUPPORTED (a package is missing), CANCELLED, CLOSED.
   *
   * @example
   * ```ts
   * const info = await engine.models.load("large", { path: "large.gguf", gpuLayers: "auto", contextSize: "auto" });
   * console.log(`${info.gpuLayers} of ${info.layers} layers on the GPU, ${info.contextSize} tokens`);
   * const { text } = await engine.generate("Hello!", { model: "large" });
   * ```
   */
  async load(
    id: string,
    options: string | ModelOptions | ProvidedModelOptions,
    control?: LoadControl,
  ): Promise<ModelInfo> {
    requiredString(id, "The id of a model");
    if (options === undefined)
      throw new TypeError(`models.load() takes an id and a model: models.load("default", ${JSON.stringify(id)})`);
    const provided = checkProvided(options, "models.load() options");
    if (provided !== undefined) return this.#add(id, provided, checkControl(control, "models.load() control"));
    const model = checkModel(options, "models.load() options");
    const { signal, onProgress, onDownload } = checkControl(control, "models.load() control");
    const json = modelToWire({
      ...model,
      path: await resolveModel(model.path, { ...this.#downloading, signal, onDownload }),
    });
    const inContext = contextHere();
    const report = (event: Record<string, unknown>): void =>
      callAtOnce("onProgress", onProgress as OnProgress, event["progress"] as number, id);
    const onEvent = onProgress && ((event: Record<string, unknown>) => inContext(report, event));
    this.#begins();
    const start = this.#native.loadModel.bind(this.#native, id, json);
    const subscribed = onEvent !== undefined;
    const task = new Task(start, { errors: this.#errors, signal, onEvent, subscribed });
    return infoFromWire(await orNames(model.path, task.ended));
  }

  /**
   * Describes a file and the memory that a load with these options would take, without loading it: bytes per device,
   * and whether they are free now. Takes 30 to 750 ms for a new combination of file and options, several times that
   * with "auto"; repeated calls are fast. No hooks run. A model that is not in the cache is downloaded first.
   * Errors: DOWNLOAD_FAILED, MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, UNSUPPORTED_ARCHITECTURE, MODEL_LOAD_FAILED,
   * TEMPLATE_FAILED, INSUFFICIENT_MEMORY, INVALID_ARGUMENT (a device does not exist), CLOSED.
   *
   * @example
   * ```ts
   * const estimate = await engine.models.estimate({ path: "large.gguf", gpuLayers: "auto" });
   * console.log(estimate);
   * ```
   */
  async estimate(options: string | ModelOptions): Promise<ModelEstimate> {
    const model = checkModel(options, "models.estimate() options");
    const json = modelToWire({ ...model, path: await resolveModel(model.path, this.#downloading) });
    const start = (_: unknown, onEnd: OnEnd): NativeTask => this.#native.estimateModel(json, onEnd);
    const ended = orNames(model.path, new Task(start, { errors: this.#errors }).ended);
    return camelDeep(JSON.parse(await ended)) as ModelEstimate;
  }

  /**
   * Tries a file that may be damaged or hostile: loads it in a child process with the engine's backend, and has it
   * compute a token there. Resolves with the description of the model, and leaves nothing loaded. No hooks run.
   * `control.timeoutMs`: the time for it [600,000]; 0: no limit. Aborting `control.signal` ends the child. A model that
   * is not in the cache is downloaded first.
   * Errors: those that `load()` would have; ENGINE_CRASHED if the child crashes or hangs, as this process would; errors
   * of the first token, such as DECODE_FAILED.
   *
   * @example
   * ```ts
   * const info = await engine.models.probe("untrusted.gguf", { timeoutMs: 60_000 });
   * console.log(info.architecture);
   * ```
   */
  async probe(model: string | ModelOptions, control?: ProbeOptions): Promise<ModelInfo> {
    const options = checkModel(model, "models.probe() options");
    const given = checkObject(control, "models.probe() control", ["signal", "timeoutMs"]);
    const signal = optionalSignal(given.signal, "models.probe() control.signal");
    const timeoutMs = optionalInteger(given.timeoutMs, "models.probe() control.timeoutMs", 0) ?? 600_000;
    const file = await resolveModel(options.path, { ...this.#downloading, signal });
    this.#errors.call(() => undefined); // throws CLOSED
    const request = { engine: this.#engineJson, model: modelToWire({ ...options, path: file, lazy: false }) };
    const { info, error } = await runProbe(request, { file, timeoutMs, signal });
    if (info === null) throw this.#errors.fromJson(error ?? "{}");
    return infoFromWire(info);
  }

  /**
   * Unloads a model once its generations have ended; new generations are refused at once. modelUnload fires. Returns
   * the memory that the unload freed.
   * Errors: MODEL_NOT_LOADED; CLOSED; REENTRANT if called inside a pending hook of a generation on that model, because
   * the unload would wait for the hook forever.
   *
   * @example
   * ```ts
   * await engine.models.unload("large", "not needed any more");
   * console.log(engine.models.list().map(({ modelId, state }) => `${modelId} is ${state}`));
   * ```
   */
  async unload(id: string, reason?: string): Promise<ModelUnloadResult> {
    requiredString(id, "The id of a model");
    const why = optionalString(reason, "reason") ?? null;
    this.#begins();
    const start = (_: unknown, onEnd: OnEnd): NativeTask => this.#native.unloadModel(id, why, onEnd);
    return camelDeep(JSON.parse(await new Task(start, { errors: this.#errors }).ended)) as ModelUnloadResult;
  }

  /**
   * Lists the models by id, with description and state: loaded models, models being unloaded (`describe()` no longer
   * knows these), evicted models and lazy models. A model that is loading for the first time, and is not lazy, appears
   * at modelReady.
   *
   * @example
   * ```ts
   * for (const { modelId, state } of engine.models.list()) console.log(`${modelId} is ${state}`);
   * ```
   */
  list(): readonly ModelInfo[] {
    const wire = JSON.parse(this.#errors.call(() => this.#native.listModels())) as unknown[];
    return wire.map((item) => camelDeep(item) as ModelInfo);
  }

  /**
   * Describes a model that is loaded, evicted or lazy. For a file, use `estimate()`. Errors: MODEL_NOT_LOADED.
   *
   * @example
   * ```ts
   * const { contextSize } = engine.models.describe("reader");
   * ```
   */
  describe(id: string): ModelInfo {
    requiredString(id, "The id of a model");
    return infoFromWire(this.#errors.call(() => this.#native.describeModel(id)));
  }

  /**
   * Returns the tokens of a text. By default the model's begin token is not added, and control tokens are read as plain
   * text. A text of more than 4096 characters, or with a `signal`, is tokenized on a separate thread, so that
   * JavaScript continues.
   * Errors: MODEL_NOT_LOADED, CANCELLED, CLOSED.
   *
   * @example
   * ```ts
   * const tokens = await engine.models.tokenize("reader", "In the north.");
   * ```
   */
  async tokenize(id: string | undefined, text: string, options?: TokenizeOptions): Promise<number[]> {
    if (typeof text !== "string") throw new TypeError(`tokenize() takes a text, got ${got(text)}`);
    const given = checkObject(options, "tokenize() options", [...parameterKeys(tokenizeChecks), "signal"]);
    const signal = optionalSignal(given.signal, "signal");
    const request = toJson({ text, ...parametersToWire(checkParameters(tokenizeChecks, given, "")) });
    if (text.length <= longText && signal === undefined) {
      return this.#ask((model) => this.#native.tokenize(model, request), id)["tokens"] as number[];
    }
    const start: StartRequest = (model, onEnd) => this.#native.tokenizeStart(model, request, onEnd);
    return (await this.#askLong(start, id, signal))["tokens"] as number[];
  }

  /**
   * Returns the text of tokens. Invalid UTF-8 becomes U+FFFD. With `special`, control tokens are included as text.
   *
   * @example
   * ```ts
   * const text = await engine.models.detokenize("reader", tokens);
   * ```
   */
  async detokenize(id: string | undefined, tokens: readonly number[], options?: DetokenizeOptions): Promise<string> {
    if (!Array.isArray(tokens)) throw new TypeError(`detokenize() takes an array of tokens, got ${got(tokens)}`);
    for (const [index, token] of tokens.entries()) {
      if (!Number.isSafeInteger(token)) throw wrong(`tokens[${index}] of detokenize()`, "a token number", token);
    }
    const given = checkObject(options, "detokenize() options", parameterKeys(detokenizeChecks));
    const request = { tokens, ...parametersToWire(checkParameters(detokenizeChecks, given, "")) };
    return this.#ask((model) => this.#native.detokenize(model, toJson(request)), id)["text"] as string;
  }

  /**
   * Returns the prompt that the model's chat template renders, on a separate thread, so that JavaScript continues.
   * Errors: MODEL_NOT_LOADED, INVALID_MESSAGES, TEMPLATE_FAILED, CANCELLED, CLOSED.
   *
   * @example
   * ```ts
   * const prompt = await engine.models.renderPrompt("default", { messages: [{ role: "user", content: "Hello!" }] });
   * ```
   */
  async renderPrompt(id: string | undefined, request: PromptRequest): Promise<string> {
    const known = ["messages", "tools", "toolChoice", "signal", ...parameterKeys(renderChecks)] as const;
    const given = checkObject(request, "renderPrompt() request", known);
    const tools = toolsToWire(given.tools, "tools");
    const choice = checkToolChoice(given.toolChoice, "toolChoice");
    const signal = optionalSignal(given.signal, "signal");
    const wire = {
      messages: messagesToWire(given.messages, "messages"),
      ...(tools.length > 0 ? { tools } : {}),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...parametersToWire(checkParameters(renderChecks, given, "", { object: optionalJsonObject })),
    };
    const start: StartRequest = (model, onEnd) => this.#native.renderPrompt(model, toJson(wire), onEnd);
    return (await this.#askLong(start, id, signal))["prompt"] as string;
  }

  /** Returns the provider of a remote model; undefined: the model is local. Called by this package only. */
  providedBy(id: string | undefined): RemoteModel | undefined {
    return this.#own.modelOf(id);
  }

  /** Returns the address of a remote model. Called by the engine only. */
  addressOf(id: string): string | undefined {
    return this.#own.addressOf(id);
  }

  async #add(id: string, { model, options }: ProvidedModel, { signal }: LoadControl): Promise<ModelInfo> {
    const { specificationVersion } = await model.open();
    const { address, description, fallback } = model;
    const wire = parametersToWire({ address, description, ...(fallback !== undefined && { fallback }), ...options });
    const json = toJson({ ...wire, ...abilities(specificationVersion) });
    this.#begins();
    const start = (_: unknown, onEnd: OnEnd): NativeTask => {
      const number = this.#own.keep(id, model);
      try {
        return this.#native.addModel(id, number, json, onEnd);
      } catch (error) {
        this.#own.drop(number);
        throw error;
      }
    };
    return infoFromWire(await new Task(start, { errors: this.#errors, signal }).ended);
  }

  async #askLong(
    start: StartRequest,
    id: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Record<string, unknown>> {
    const model = optionalName(id, "The id of a model") ?? null;
    const task = new Task((_, onEnd) => start(model, onEnd), { errors: this.#errors, signal });
    return JSON.parse(await task.ended) as Record<string, unknown>;
  }

  #ask(call: (model: string | null) => string, id: string | undefined): Record<string, unknown> {
    const model = optionalName(id, "The id of a model") ?? null;
    return JSON.parse(this.#errors.call(() => call(model))) as Record<string, unknown>;
  }
}

function infoFromWire(json: string): ModelInfo {
  return camelDeep(JSON.parse(json)) as ModelInfo;
}
