// The models of an engine. Must not: hold any; the engine does.
import { checkObject, got, isObject, optionalName, optionalString, requiredString, wrong } from "../base/check.js";
import { callAtOnce } from "../base/callback.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { toolsToWire } from "../generate/generate-request.js";
import {
  detokenizeChecks,
  type DetokenizeOptions,
  renderChecks,
  type RenderOptions,
  tokenizeChecks,
  type TokenizeOptions,
} from "../generated/parameters.js";
import type { Message } from "../generated/points.js";
import type { ModelEstimate, ModelInfo, ModelUnloadResult } from "../generated/results.js";
import { optionalJsonObject } from "../generate/json-value.js";
import { messagesToWire } from "../generate/messages.js";
import { orNames, resolveModel } from "./model-files.js";
import { checkControl, checkModel, type LoadControl, type ModelOptions, modelToWire } from "./model-options.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { NativeEngine, NativeTask, OnEnd } from "../native/addon.js";
import { Task } from "../native/task.js";
import type { ToolSpec } from "../generate/tool.js";
import { camelDeep, toJson } from "../base/wire.js";

/** What `engine.models.renderPrompt()` is asked to write as the model's chat template writes it. */
export interface PromptRequest extends RenderOptions {
  /** The conversation. */
  readonly messages: readonly Message[];
  /** Tools that the prompt declares [none]. */
  readonly tools?: readonly ToolSpec[];
  /** Whether the model may, must not or must call one ["auto"]. */
  readonly toolChoice?: "auto" | "none" | "required";
}

/** Names a model. */
export interface ModelChoice {
  /** Which model: its id [the only one loaded]. */
  readonly model?: string;
}

/** Options with the model among them as functions take them that are given its id first. */
export function modelAndRest<T extends object>(options: (T & ModelChoice) | undefined, what: string) {
  if (options === undefined) return [undefined, {} as T] as const;
  if (!isObject(options)) throw wrong(what, "an object", options);
  const { model, ...rest } = options as T & ModelChoice;
  return [optionalName(model, "model"), rest as unknown as T] as const;
}

/** `engine.models`. Ids left out (`undefined`) mean the only model loaded. */
export class Models {
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #begins: () => void;

  /** Made by the engine only. `begins`: told before what takes time begins. */
  constructor(native: NativeEngine, errors: NativeErrors, begins: () => void) {
    this.#native = native;
    this.#errors = errors;
    this.#begins = begins;
  }

  /**
   * Loads a GGUF file under the name `id`. Fires modelLoad, then modelReady; with `lazy` it does so when the model is used, and
   * only says what the model will be. Loads of one id at once with the same options are one.
   * Errors: DOWNLOAD_FAILED, MODEL_FILE_NOT_FOUND, MODEL_FILE_INVALID, UNSUPPORTED_ARCHITECTURE, MODEL_LOAD_FAILED, TEMPLATE_FAILED, MODEL_IN_USE, INVALID_ARGUMENT (a device that is not there),
   * INSUFFICIENT_MEMORY, HOOK_CANCELLED, CANCELLED (by the signal), CLOSED. A load that all who asked for it have aborted leaves no model
   * behind, as one that fails does.
   * The engine waits for `onProgress`, whose throw, as that of `onDownload`, is what the load rejects with; neither may be async
   * (`TypeError`).
   */
  async load(id: string, options: ModelOptions, control?: LoadControl): Promise<ModelInfo> {
    requiredString(id, "The id of a model");
    const model = checkModel(options, "models.load() options");
    const { signal, onProgress, onDownload } = checkControl(control, "models.load() control");
    const json = modelToWire({ ...model, path: await resolveModel(model.path, signal, onDownload) });
    const onEvent =
      onProgress &&
      ((event: Record<string, unknown>) => callAtOnce("onProgress", onProgress, event["progress"] as number, id));
    this.#begins();
    const start = this.#native.loadModel.bind(this.#native, id, json);
    const subscribed = onEvent !== undefined;
    const task = new Task(start, { errors: this.#errors, signal, onEvent, subscribed });
    return infoFromWire(await orNames(model.path, task.ended));
  }

  /**
   * What the file is, and what a load with these options would take, without loading: of each device, in bytes, and whether there is
   * room for it as things are. Takes 30 to 750 ms, once for each file and options, with "auto" some times that; no hook is asked. A model that has to be fetched first is. Errors: DOWNLOAD_FAILED, MODEL_FILE_NOT_FOUND,
   * MODEL_FILE_INVALID, UNSUPPORTED_ARCHITECTURE, MODEL_LOAD_FAILED, TEMPLATE_FAILED, INSUFFICIENT_MEMORY, INVALID_ARGUMENT (a device that is not there), CLOSED.
   */
  async estimate(options: ModelOptions): Promise<ModelEstimate> {
    const model = checkModel(options, "models.estimate() options");
    const json = modelToWire({ ...model, path: await resolveModel(model.path) });
    const start = (_: unknown, onEnd: OnEnd): NativeTask => this.#native.estimateModel(json, onEnd);
    const ended = orNames(model.path, new Task(start, { errors: this.#errors }).ended);
    return camelDeep(JSON.parse(await ended)) as ModelEstimate;
  }

  /**
   * Unloads a model once its generations have ended; new ones are refused from now on. Fires modelUnload, and says what is
   * free then.
   * Errors: MODEL_NOT_LOADED; REENTRANT inside a hook of a generation on that model that has not answered yet, which could
   * never end; CLOSED.
   */
  async unload(id: string, reason?: string): Promise<ModelUnloadResult> {
    requiredString(id, "The id of a model");
    const why = optionalString(reason, "reason") ?? null;
    this.#begins();
    const start = (_: unknown, onEnd: OnEnd): NativeTask => this.#native.unloadModel(id, why, onEnd);
    return camelDeep(JSON.parse(await new Task(start, { errors: this.#errors }).ended)) as ModelUnloadResult;
  }

  /**
   * The models by id, with what each is and its state: those that are loaded or being unloaded (which `describe()` knows no
   * more), that were given up for their memory, that are lazy. One that is loaded for the first time, and is not lazy, is in
   * the list from modelReady on.
   */
  list(): readonly ModelInfo[] {
    const wire = JSON.parse(this.#errors.call(() => this.#native.listModels())) as unknown[];
    return wire.map((item) => camelDeep(item) as ModelInfo);
  }

  /** What is known of a model that is loaded, was given up, or is lazy; `estimate()` tells of a file. Errors: MODEL_NOT_LOADED. */
  describe(id: string): ModelInfo {
    requiredString(id, "The id of a model");
    return infoFromWire(this.#errors.call(() => this.#native.describeModel(id)));
  }

  /** The tokens of a text, by default without the model's begin token and with control tokens read as plain text. */
  async tokenize(id: string | undefined, text: string, options?: TokenizeOptions): Promise<number[]> {
    if (typeof text !== "string") throw new TypeError(`tokenize() takes a text, got ${got(text)}`);
    const given = checkObject(options, "tokenize() options", parameterKeys(tokenizeChecks));
    const request = { text, ...parametersToWire(checkParameters(tokenizeChecks, given, "")) };
    const answer = this.#ask((model) => this.#native.tokenize(model, toJson(request)), id);
    return answer["tokens"] as number[];
  }

  /** The text of tokens. Bytes that are not UTF-8 become U+FFFD. With `special`, control tokens are written out. */
  async detokenize(id: string | undefined, tokens: readonly number[], options?: DetokenizeOptions): Promise<string> {
    if (!Array.isArray(tokens)) throw new TypeError(`detokenize() takes an array of tokens, got ${got(tokens)}`);
    for (const [index, token] of tokens.entries()) {
      if (!Number.isSafeInteger(token)) throw wrong(`tokens[${index}] of detokenize()`, "a token number", token);
    }
    const given = checkObject(options, "detokenize() options", parameterKeys(detokenizeChecks));
    const request = { tokens, ...parametersToWire(checkParameters(detokenizeChecks, given, "")) };
    return this.#ask((model) => this.#native.detokenize(model, toJson(request)), id)["text"] as string;
  }

  /** The text that the model would be given, as its chat template renders it. Errors: INVALID_MESSAGES, TEMPLATE_FAILED. */
  async renderPrompt(id: string | undefined, request: PromptRequest): Promise<string> {
    const known = ["messages", "tools", "toolChoice", ...parameterKeys(renderChecks)] as const;
    const given = checkObject(request, "renderPrompt() request", known);
    const tools = toolsToWire(given.tools, "tools");
    const choice = optionalString(given.toolChoice, "toolChoice");
    const wire = {
      messages: messagesToWire(given.messages, "messages"),
      ...(tools.length > 0 ? { tools } : {}),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...parametersToWire(checkParameters(renderChecks, given, "", { object: optionalJsonObject })),
    };
    return this.#ask((model) => this.#native.renderPrompt(model, toJson(wire)), id)["prompt"] as string;
  }

  #ask(call: (model: string | null) => string, id: string | undefined): Record<string, unknown> {
    const model = optionalName(id, "The id of a model") ?? null;
    return JSON.parse(this.#errors.call(() => call(model))) as Record<string, unknown>;
  }
}

function infoFromWire(json: string): ModelInfo {
  return camelDeep(JSON.parse(json)) as ModelInfo;
}
