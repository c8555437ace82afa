// The engine: its parts put together, and its end. Must not: check options or hold state that the addon holds.
import { Causes } from "./base/causes.js";
import { requiredString } from "./base/check.js";
import {
  type GenerateOptions,
  generateRequest,
  type InfillOptions,
  infillRequest,
} from "./generate/generate-request.js";
import type { DetokenizeOptions, TokenizeOptions } from "./generated/parameters.js";
import type { Message } from "./generated/points.js";
import type { DeviceMemory, RerankResult, SystemInfo } from "./generated/results.js";
import { Generation } from "./generate/generation.js";
import { HookCalls, type HookEntry } from "./hooks/hook-calls.js";
import { type HookHost, Hooks } from "./hooks/hooks.js";
import { Adapters } from "./models/adapters.js";
import {
  EmbeddingCalls,
  type Embedding,
  type Embeddings,
  type EmbedOptions,
  type RerankOptions,
} from "./models/embeddings.js";
import { type ModelChoice, modelAndRest, Models } from "./models/models.js";
import { NativeErrors } from "./native/native-errors.js";
import type { Abandoned, NativeAddon, NativeEngine } from "./native/addon.js";
import { Session, type SessionHost } from "./sessions/session.js";
import type { SessionOptions } from "./sessions/session-options.js";
import { ToolFunctions } from "./sessions/tool-functions.js";
import { Task } from "./native/task.js";
import { warnOfObserver } from "./hooks/observer-warning.js";
import { Trace, type TraceReader } from "./hooks/trace.js";
import { checkTrace, type TraceOptions } from "./hooks/trace-options.js";
import { camelDeep } from "./base/wire.js";

/** An engine: models, and the hooks at every step of their work. Made by `createEngine()`. */
export class Engine implements AsyncDisposable {
  /** The hooks of everything that the engine does. */
  readonly hooks: Hooks;
  /** Loads, unloads and tells of models. */
  readonly models: Models;
  /** Loads, unloads and swaps adapters. */
  readonly adapters: Adapters;
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #causes = new Causes();
  readonly #functions: ToolFunctions;
  readonly #embeddings: EmbeddingCalls;
  readonly #trace: Trace;
  readonly #hookHost: HookHost;
  #closing: Promise<void> | undefined;

  /** Made by `createEngine()` only. */
  constructor(addon: NativeAddon, optionsJson: string) {
    this.#errors = new NativeErrors(this.#causes);
    const calls = new HookCalls(this.#causes, {
      give: (callId, kind, text) => this.#native.answerHook(callId, kind, text),
      remove: (hookId) => this.#native.removeHook(hookId),
      observerFailed: (entry, thrown, first) => this.#observerFailed(entry, thrown, first),
    });
    this.#functions = new ToolFunctions(this.#causes, {
      give: (callId, kind, text) => this.#native.answerHook(callId, kind, text),
      direct: (callId, type, params) => this.#errors.call(() => this.#native.giveDirective(callId, type, params)),
    });
    const onAbandoned = (callId: number, why: Abandoned): void => {
      calls.onAbandoned(callId, why);
      this.#functions.onAbandoned(callId, why);
    };
    this.#native = this.#errors.call(() =>
      addon.createEngine(
        optionsJson,
        calls.onCall,
        this.#functions.onCall,
        onAbandoned,
        calls.currentCall,
        calls.onReleased,
      ),
    );
    this.#hookHost = { native: this.#native, errors: this.#errors, calls };
    this.hooks = new Hooks(this.#hookHost, () => 0);
    this.#trace = new Trace(this.#native, this.#causes);
    const begins = (): void => this.#trace.watch();
    this.models = new Models(this.#native, this.#errors, begins);
    this.adapters = new Adapters(this.#native, this.#errors, begins);
    this.#embeddings = new EmbeddingCalls(this.#native, this.#errors);
  }

  /**
   * One model call, without a loop: contextBudget, preGenerate, promptProgress, streamToken and postGenerate fire.
   * A prompt is one user message; with `raw` it is given to the model as it is.
   * Misuse throws `TypeError` at once. Everything else comes through what is returned: a hook's cancel, an aborted
   * signal and `cancel()` resolve, with `finishReason` "cancelled"; errors reject with a `LlamaHooksError`:
   * MODEL_NOT_LOADED, UNSUPPORTED_BY_MODEL (a model that only embeds), PROMPT_TOO_LONG, INVALID_MESSAGES, INVALID_GRAMMAR,
   * INVALID_SCHEMA, TEMPLATE_FAILED, DECODE_FAILED, INVALID_ARGUMENT (what a hook gave, or strengths of adapters), NOT_FOUND (an
   * adapter), HOOK_CANCELLED (a hook at adapterSwap), BUSY, CLOSED; of a cold model those of `models.load()`.
   *
   * Of one model, eight generations more than it has sequences (`parallel`) are under way at a time; the others wait for
   * their turn, first come first served, at most `maxQueued` of them: the next is rejected with BUSY. What a hook asks
   * for does not wait behind the generations that wait for the hook.
   *
   * A cold model is loaded first: what fails there rejects with the errors of
   * `models.load()`, CANCELLED included.
   */
  generate(input: string | readonly Message[], options?: GenerateOptions): Generation {
    const request = generateRequest(input, options);
    this.#trace.watch();
    return new Generation(this.#hookHost, request, this.#causes);
  }

  /**
   * What belongs between a prefix and a suffix: one model call, whose prompt is put together with the tokens that the model has
   * for it. It is a raw prompt to all hooks: at preGenerate `prompt` has it as text, with those tokens written out.
   * Misuse throws `TypeError`; errors: those of `generate()`, UNSUPPORTED_BY_MODEL where the model has no such tokens
   * (`models.describe().infills`). Nothing is cut off a prompt that is too long: PROMPT_TOO_LONG.
   */
  infill(options: InfillOptions): Generation {
    const request = infillRequest(options);
    this.#trace.watch();
    return new Generation(this.#hookHost, request, this.#causes);
  }

  /**
   * What a text is to a model, or each of a list of them: a vector, of length 1 unless `normalize` is false. Any model
   * can be asked; those made for it (`models.describe().embedding`) are worth it. Generations of the model go on meanwhile.
   * Texts are computed `batchSize` tokens at a time; calls at once take turns. docs/concepts/embeddings.md says which
   * hooks fire.
   * Misuse throws `TypeError`. Errors: TEXT_TOO_LONG (nothing is ever cut off), INVALID_ARGUMENT of a text without tokens,
   * UNSUPPORTED_BY_MODEL, INSUFFICIENT_MEMORY, HOOK_CANCELLED, CANCELLED, MODEL_NOT_LOADED, BUSY, REENTRANT, DECODE_FAILED,
   * CLOSED, and of a cold model those of `models.load()`.
   */
  embed(text: string, options?: EmbedOptions): Promise<Embedding>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embeddings>;
  embed(input: string | readonly string[], options?: EmbedOptions): Promise<Embedding | Embeddings> {
    this.#trace.watch();
    return this.#embeddings.embed(input, options);
  }

  /**
   * Documents by how relevant they are to a query, the most relevant first. The model must be a reranker: others are
   * refused with UNSUPPORTED_BY_MODEL. Scores are as the model gives them, unless `normalize` puts them between 0 and 1.
   * Misuse throws `TypeError`; errors: those of `embed()`.
   */
  rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<RerankResult> {
    this.#trace.watch();
    return this.#embeddings.rerank(query, documents, options);
  }

  /** The tokens of a text, as `models.tokenize()` gives them. */
  async tokenize(text: string, options?: TokenizeOptions & ModelChoice): Promise<number[]> {
    const [model, rest] = modelAndRest(options, "tokenize() options");
    return this.models.tokenize(model, text, rest);
  }

  /** The text of tokens, as `models.detokenize()` gives it. */
  async detokenize(tokens: readonly number[], options?: DetokenizeOptions & ModelChoice): Promise<string> {
    const [model, rest] = modelAndRest(options, "detokenize() options");
    return this.models.detokenize(model, tokens, rest);
  }

  /**
   * A conversation with an agent: each run calls the model and its tools in turn. sessionStart fires when its first run
   * begins, or when it is closed without one. Misuse throws `TypeError`; errors: INVALID_MESSAGES for the history, CLOSED. A
   * tool whose parameters cannot be used is INVALID_SCHEMA at `error`, in the first run, and is not offered.
   */
  session(options?: SessionOptions): Session {
    return Session.open(this.#sessionHost(), options);
  }

  /**
   * A session that goes on from a file that `session.save()` has written, with the tools, tiers and options given here; its id
   * is a new one. Nothing that was stopped runs again by itself. Errors: those of `session()`, NOT_FOUND when the file cannot
   * be read, SESSION_FILE_INVALID, which names place and reason: also where it names a tier or phase that the options lack.
   */
  restoreSession(path: string, options?: SessionOptions): Session {
    return Session.open(this.#sessionHost(), options, requiredString(path, "The path of restoreSession()"));
  }

  /**
   * Every decision of hooks and every lifecycle event, or those that the options say, from when the iteration begins until
   * the engine is closed. An iteration that falls more than `limit` events behind loses the older half of them, and is told
   * how many; `dropped` counts them. `traceEvents()` makes a picture of what was read. Misuse throws `TypeError`.
   */
  trace(options?: TraceOptions): TraceReader {
    return this.#trace.reader(checkTrace(options));
  }

  /** Memory by device. */
  memory(): readonly DeviceMemory[] {
    return camelDeep(JSON.parse(this.#errors.call(() => this.#native.memory()))) as DeviceMemory[];
  }

  /** Versions and devices. */
  systemInfo(): SystemInfo {
    return camelDeep(JSON.parse(this.#errors.call(() => this.#native.systemInfo()))) as SystemInfo;
  }

  /**
   * Refuses new work, cancels what runs, closes every session, unloads every model (modelUnload fires) and ends the trace. A handler that has
   * not answered is given up, and its signal fires with CLOSED: at once where its work is cancelled; at modelUnload, at
   * sessionStart and sessionEnd of sessions that are open (and at error, of a load) it is waited for up to its deadline, and with `deadlineMs: 0` for five seconds. From now on calls
   * fail with CLOSED, but for what only reads or removes hooks (`hooks.list`, `stats`, `has`, `dispose`); a second close
   * resolves when the first has. Errors: NO_THREAD when the thread that closes cannot be started: what runs goes on to its end,
   * and the engine is to be closed again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close().catch((error: unknown) => {
      this.#closing = undefined;
      throw error;
    });
    return this.#closing;
  }

  /** `await using`: as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #sessionHost(): SessionHost {
    return {
      ...this.#hookHost,
      causes: this.#causes,
      functions: this.#functions,
      begins: () => this.#trace.watch(),
    };
  }

  async #close(): Promise<void> {
    this.#trace.watch();
    const errors = new NativeErrors(this.#causes); // its own: those of the engine refuse a second attempt
    const task = new Task((_, onEnd) => this.#native.close(onEnd), { errors });
    this.#errors.close();
    await task.ended;
    this.#trace.close();
  }

  /** Traced, and warned about once a hook. */
  #observerFailed(entry: HookEntry, cause: unknown, first: boolean): void {
    const point = entry.point.info.tsName;
    const hook = entry.name === "" ? `hook ${entry.id}` : entry.name;
    this.#trace.push({ type: "lifecycle", event: "observerFailed", timeUs: Date.now() * 1000, hook, point, cause });
    if (first) warnOfObserver(hook, point, cause);
  }
}
