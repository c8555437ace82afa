// The Engine class: creates the parts of an engine, connects them and closes them. The addon holds the state.
import { calledAt, errorsNameCallers } from "./base/call-site.js";
import { Causes } from "./base/causes.js";
import type { LlamaHooksError } from "./base/errors.js";
import { requiredString } from "./base/check.js";
import { describeThrown } from "./base/thrown.js";
import {
  type GenerateOptions,
  generateRequest,
  type InfillOptions,
  infillRequest,
} from "./generate/generate-request.js";
import type { DetokenizeOptions } from "./generated/parameters.js";
import type { DeviceMemory, RerankResult, SystemInfo } from "./generated/results.js";
import { type AnsweredGenerateResult, Generation } from "./generate/generation.js";
import type { JsonSchema, SchemaOutput, StandardSchema } from "./generate/json-schema.js";
import type { Input } from "./generate/messages.js";
import { HookCalls, type HookEntry } from "./hooks/hook-calls.js";
import { type HookHost, Hooks } from "./hooks/hooks.js";
import { NeverMatched } from "./hooks/never-matched.js";
import { warnOfUseless } from "./hooks/unfired.js";
import { Adapters } from "./models/adapters.js";
import {
  EmbeddingCalls,
  type Embedding,
  type Embeddings,
  type EmbedOptions,
  type RerankOptions,
} from "./models/embeddings.js";
import type { Downloading } from "./models/model-files.js";
import { type ModelChoice, modelAndRest, Models, type TokenizeOptions } from "./models/models.js";
import { NativeErrors } from "./native/native-errors.js";
import type { Abandoned, NativeAddon, NativeEngine } from "./native/addon.js";
import { Answer } from "./sessions/answer.js";
import { Session, type SessionHost } from "./sessions/session.js";
import type { RunEventOf, SessionTools, ToolRecordOf } from "./sessions/typed-calls.js";
import type { SessionOptions } from "./sessions/session-options.js";
import { ToolFunctions } from "./sessions/tool-functions.js";
import { Sessions } from "./stores/sessions.js";
import type { StoreCalls } from "./stores/store-calls.js";
import { Task } from "./native/task.js";
import { warnOf, warnOfHook } from "./hooks/hook-warnings.js";
import { Trace, type TraceReader } from "./hooks/trace.js";
import { checkTrace, type TraceOptions } from "./hooks/trace-options.js";
import { camelDeep } from "./base/wire.js";

/** A session with such tools. */
export type SessionOf<Tools extends SessionTools> = Session<ToolRecordOf<Tools>, RunEventOf<Tools>>;

/** The parts of an engine that `createEngine()` makes. */
export interface EngineParts {
  readonly downloading: Downloading;
  /** Undefined without a session store. */
  readonly stores: StoreCalls | undefined;
  readonly leaseMs: number;
  /** Failures of hooks cause no warnings. */
  readonly ignoresFailures: boolean;
}

/**
 * An engine: loads models, runs generations and sessions, and calls hooks at every step. Create one with
 * `createEngine()`.
 */
export class Engine implements AsyncDisposable {
  /** The hooks of this engine. They see everything that the engine does. */
  readonly hooks: Hooks;
  /** Loads, unloads and describes models. */
  readonly models: Models;
  /** Loads, unloads and swaps adapters. */
  readonly adapters: Adapters;
  /** Opens, resumes, lists and deletes stored sessions. */
  readonly sessions: Sessions;
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;
  readonly #causes = new Causes();
  readonly #functions: ToolFunctions;
  readonly #embeddings: EmbeddingCalls;
  readonly #trace: Trace;
  readonly #hookHost: HookHost;
  readonly #neverMatched = new NeverMatched();
  /** The number of hooks that are known to be called, or were reported. */
  #looked = 0;
  #hasSessions = false;
  readonly #ignoresFailures: boolean;
  #closing: Promise<void> | undefined;

  static {
    errorsNameCallers(Engine, "embed", "rerank", "tokenize", "detokenize");
  }

  /** Called by `createEngine()` only. */
  constructor(addon: NativeAddon, optionsJson: string, parts: EngineParts) {
    const { downloading, stores, leaseMs, ignoresFailures } = parts;
    this.#ignoresFailures = ignoresFailures;
    this.#errors = new NativeErrors(this.#causes);
    const calls = new HookCalls(this.#causes, {
      give: (callId, kind, text) => this.#native.answerHook(callId, kind, text),
      remove: (hookId) => this.#native.removeHook(hookId),
      drain: () => this.#trace.drain(),
      observerFailed: (entry, thrown, first) => this.#observerFailed(entry, thrown, first),
    });
    this.#functions = new ToolFunctions(this.#causes, {
      give: (callId, kind, text) => this.#native.answerHook(callId, kind, text),
      progress: (...args) => this.#errors.call(() => this.#native.tellProgress(...args)),
      direct: (callId, type, params) => this.#errors.call(() => this.#native.giveDirective(callId, type, params)),
      elicit: (callId, json) =>
        new Task((_, onEnd) => this.#native.elicit(callId, json, onEnd), { errors: this.#errors }).ended,
      report: (...args) => this.#errors.call(() => this.#native.reportFromTool(...args)),
    });
    const onAbandoned = (callId: number, why: Abandoned): void => {
      calls.onAbandoned(callId, why);
      this.#functions.onAbandoned(callId, why);
    };
    const onReleased = (id: number, isTool: boolean): void => {
      if (isTool) this.#functions.remove(id);
      else calls.onReleased(id);
    };
    this.#native = this.#errors.call(() =>
      addon.createEngine(
        optionsJson,
        calls.onCall,
        this.#functions.onCall,
        onAbandoned,
        calls.currentCall,
        onReleased,
        (json) => warnOf(json, this.#causes),
      ),
    );
    this.#hookHost = { native: this.#native, errors: this.#errors, calls, lists: new Set() };
    this.hooks = new Hooks(this.#hookHost, "engine");
    const addressOf = (id: string): string | undefined => this.models.addressOf(id);
    this.#trace = new Trace(this.#native, { causes: this.#causes, hooks: calls, addressOf });
    const begins = (): void => this.#trace.watch();
    this.models = new Models(this.#native, this.#errors, begins, { downloading, engineJson: optionsJson });
    this.adapters = new Adapters(this.#native, this.#errors, begins);
    this.#embeddings = new EmbeddingCalls(this.#native, this.#errors);
    this.sessions = new Sessions(() => this.#sessionHost(), stores, leaseMs);
  }

  /**
   * Calls the model once, without a loop. These points fire: contextBudget, preGenerate, promptProgress, streamToken
   * and postGenerate.
   * A string, or a list of text parts, is sent as one user message. With `raw: true` the model receives the string as
   * it is, without the chat template. With `answer`, the text follows that schema, and the result has the value as its
   * `answer`.
   *
   * Misuse throws `TypeError` at once. A hook's cancel, an aborted signal and `cancel()` resolve the generation with
   * `finishReason: "cancelled"`. Errors reject it with a `LlamaHooksError`: MODEL_NOT_LOADED, UNSUPPORTED_BY_MODEL (the
   * model only embeds), PROMPT_TOO_LONG, INVALID_MESSAGES, INVALID_GRAMMAR, INVALID_SCHEMA, TEMPLATE_FAILED,
   * DECODE_FAILED, INVALID_ARGUMENT (a hook's answer, or the strength of an adapter), NOT_FOUND (an adapter),
   * HOOK_CANCELLED (by a hook at adapterSwap), BUSY, CLOSED.
   *
   * A model runs at most `parallel` + 8 generations at a time. Further ones wait in order of arrival; at most
   * `maxQueued` may wait, and the next is rejected with BUSY. A call that a hook makes does not wait behind generations
   * that wait for that hook.
   *
   * A cold model is loaded first. If that fails, the generation rejects with the error of `models.load()`, which may be
   * CANCELLED.
   *
   * @example
   * ```ts
   * const generation = engine.generate("What is a fjord?", { temperature: 0, maxTokens: 64 });
   * for await (const event of generation) {
   *   if (event.type === "token") process.stdout.write(event.text);
   * }
   * const { usage, finishReason } = await generation;
   * console.log(finishReason, usage.completionTokens);
   * ```
   */
  generate<const S extends JsonSchema | StandardSchema>(
    input: Input,
    options: GenerateOptions & { readonly answer: S },
  ): Generation<AnsweredGenerateResult<SchemaOutput<S>>>;
  generate(input: Input, options?: GenerateOptions): Generation;
  generate(input: Input, options?: GenerateOptions): unknown {
    const request = generateRequest(input, options);
    const answer = request.answer && new Answer(options?.answer, request.answer);
    this.#generates(options?.tier);
    return new Generation(this.#hookHost, request, this.#causes, answer && ((result) => answer.ofGeneration(result)));
  }

  /**
   * Generates the text between a prefix and a suffix with one model call. The prompt is built from the model's own
   * infill tokens. Hooks see a raw prompt: `prompt` at preGenerate contains these tokens as text.
   * Misuse throws `TypeError`. Errors: those of `generate()`, and UNSUPPORTED_BY_MODEL if the model has no infill
   * tokens (`models.describe().infills`). A prompt that is too long is not truncated: PROMPT_TOO_LONG.
   *
   * @example
   * ```ts
   * const { text } = await engine.infill({
   *   prefix: "function add(a, b) {\n",
   *   suffix: "\n}",
   *   model: "coder",
   *   temperature: 0,
   * });
   * ```
   */
  infill(options: InfillOptions): Generation {
    const request = infillRequest(options);
    this.#generates(options.tier);
    return new Generation(this.#hookHost, request, this.#causes);
  }

  /**
   * Computes the embedding of a text, or of each text of a list: a vector of length 1 unless `normalize` is false.
   * Every model can embed; models trained for it (`models.describe().embedding`) give useful vectors. Generations of
   * the same model continue meanwhile.
   * Texts are computed `batchSize` tokens at a time, and concurrent calls take turns. docs/concepts/embeddings.md says
   * which hooks fire.
   * Misuse throws `TypeError`. Errors: TEXT_TOO_LONG (texts are never truncated), INVALID_ARGUMENT (a text has no
   * tokens), UNSUPPORTED_BY_MODEL, INSUFFICIENT_MEMORY, HOOK_CANCELLED, CANCELLED, MODEL_NOT_LOADED, BUSY, REENTRANT,
   * DECODE_FAILED, CLOSED, and for a cold model those of `models.load()`.
   *
   * @example
   * ```ts
   * const { embedding } = await engine.embed("Where is it cold?"); // Float32Array of length 1
   * const { embeddings, tokens } = await engine.embed(["In the north.", "In the south."], { model: "embedder" });
   * console.log(embedding.length, embeddings.length, tokens);
   * ```
   */
  embed(text: string, options?: EmbedOptions): Promise<Embedding>;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embeddings>;
  embed(input: string | readonly string[], options?: EmbedOptions): Promise<Embedding | Embeddings> {
    this.#trace.watch();
    return this.#embeddings.embed(input, options);
  }

  /**
   * Sorts documents by relevance to a query, the most relevant first. The model must be a reranker; other models reject
   * with UNSUPPORTED_BY_MODEL. Scores are those of the model; `normalize` maps them to 0..1.
   * Misuse throws `TypeError`. Errors: those of `embed()`.
   *
   * @example
   * ```ts
   * const { results } = await engine.rerank("Where is it cold?", ["In the north.", "In the south."], {
   *   model: "reranker",
   *   topN: 1,
   * });
   * console.log(results[0]?.index, results[0]?.relevanceScore);
   * ```
   */
  rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<RerankResult> {
    this.#trace.watch();
    return this.#embeddings.rerank(query, documents, options);
  }

  /**
   * Returns the tokens of a text, like `models.tokenize()`.
   *
   * @example
   * ```ts
   * const tokens = await engine.tokenize("In the north.");
   * console.log(tokens.length, await engine.detokenize(tokens));
   * ```
   */
  async tokenize(text: string, options?: TokenizeOptions & ModelChoice): Promise<number[]> {
    const [model, rest] = modelAndRest(options, "tokenize() options");
    return this.models.tokenize(model, text, rest);
  }

  /** Returns the text of tokens, like `models.detokenize()`. */
  async detokenize(tokens: readonly number[], options?: DetokenizeOptions & ModelChoice): Promise<string> {
    const [model, rest] = modelAndRest(options, "detokenize() options");
    return this.models.detokenize(model, tokens, rest);
  }

  /**
   * Opens a session: a conversation with an agent. Each run calls the model and its tools in turn. sessionStart fires
   * when the first run begins, or at close if there was no run.
   * Misuse throws `TypeError`. Errors: INVALID_MESSAGES (the history), CLOSED. If a tool's parameters are not a usable
   * schema, the first run reports INVALID_SCHEMA at `error` and does not offer that tool to the model.
   *
   * @example
   * ```ts
   * const session = engine.session({ system: "You answer briefly.", tools: [search], temperature: 0 });
   * const { text, toolCalls } = await session.run("Search for fjords.");
   * for (const { name, resultKind, result } of toolCalls) console.log(name, resultKind, result);
   * await session.close();
   * ```
   */
  session<const Tools extends SessionTools = SessionTools>(options?: SessionOptions<Tools>): SessionOf<Tools> {
    return Session.open(this.#sessionHost(), options);
  }

  /**
   * Opens a session from a file that `session.save()` wrote, with a new id and with the tools, tiers and options given
   * here. Interrupted work does not restart by itself.
   * Errors: those of `session()`; NOT_FOUND if the file cannot be read; SESSION_FILE_INVALID, with place and reason, if
   * its content is invalid or names a tier or phase that the options lack.
   *
   * @example
   * ```ts
   * await session.save("session.json");
   * const later = engine.restoreSession("session.json", { tools: [search] }); // the file has no tools
   * console.log(later.history().length);
   * ```
   */
  restoreSession<const Tools extends SessionTools = SessionTools>(
    path: string,
    options?: SessionOptions<Tools>,
  ): SessionOf<Tools> {
    return Session.open(this.#sessionHost(), options, requiredString(path, "The path of restoreSession()"));
  }

  /**
   * Returns a reader of all hook decisions and lifecycle events, or of those that `options` select. An iteration gets
   * the events from its start until the engine is closed. If it falls more than `limit` events behind, it loses the
   * older half of them; `dropped` counts the lost events. `traceEvents()` converts events for trace viewers. Misuse
   * throws `TypeError`.
   *
   * @example
   * ```ts
   * for await (const event of engine.trace({ points: ["preToolCall", "postToolCall"], sessions: [session] })) {
   *   if (event.type === "decision") console.log(event.point, event.action, event.reason, event.durationUs);
   *   else console.log(event.event);
   * }
   * ```
   */
  trace(options?: TraceOptions): TraceReader {
    return this.#trace.reader(checkTrace(options));
  }

  /**
   * Returns the memory of each device.
   *
   * @example
   * ```ts
   * for (const device of engine.memory()) console.log(device);
   * ```
   */
  memory(): readonly DeviceMemory[] {
    return camelDeep(JSON.parse(this.#errors.call(() => this.#native.memory()))) as DeviceMemory[];
  }

  /**
   * Returns versions and devices.
   *
   * @example
   * ```ts
   * for (const device of engine.systemInfo().devices) console.log(device);
   * ```
   */
  systemInfo(): SystemInfo {
    return camelDeep(JSON.parse(this.#errors.call(() => this.#native.systemInfo()))) as SystemInfo;
  }

  /**
   * Closes the engine: refuses new work, cancels running work, closes every session, unloads every model (modelUnload
   * fires) and ends the trace.
   * Pending handlers are abandoned and their signal aborts with CLOSED. This happens at once if their work is
   * cancelled. The engine waits for handlers at modelUnload, at sessionStart and sessionEnd of open sessions, and at
   * the error of a load, until their deadline (five seconds if `deadlineMs` is 0).
   * Calls now fail with CLOSED, except those that only read or remove hooks (`hooks.list`, `stats`, `has`, `dispose`).
   * A second call returns the same promise. Errors: NO_THREAD if the closing thread cannot be started; running work
   * then continues, and `close()` must be called again. STUCK if a thread is still inside llama.cpp, or inside a native
   * hook or tool, after `closeTimeoutMs`, in which such handlers do not count: calls that have not ended reject with
   * STUCK, idle models are unloaded, and the rest is freed when the thread comes back. The process can continue or end;
   * `close()` may be called again to wait for the rest. docs/reliability.md says more. SESSION_STORE_FAILED if a
   * session with `autosave` could not be saved; the engine is closed then, too.
   */
  close(): Promise<void> {
    this.#closing ??= calledAt(this.close, () => this.#close()).catch((error: unknown) => {
      this.#closing = undefined;
      throw error;
    });
    return this.#closing;
  }

  /** Calls `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #generates(tier?: string): void {
    if (tier !== undefined) this.#neverMatched.add("tier", [tier]);
    this.#trace.watch();
    this.#lookForUnfired();
  }

  /** Costs one comparison, unless hooks have been added since the last call. */
  #lookForUnfired(): void {
    const added = Hooks.added(this.hooks);
    if (added === this.#looked || this.#closing !== undefined) return;
    this.#looked = added;
    const models = this.models.list();
    const remote = models.length > 0 && models.every(({ modelId }) => this.models.addressOf(modelId) !== undefined);
    warnOfUseless(this.hooks, { place: this.#hasSessions ? "run" : "generation", remote });
  }

  #sessionHost(): SessionHost {
    this.#hasSessions = true;
    return {
      ...this.#hookHost,
      causes: this.#causes,
      functions: this.#functions,
      neverMatched: this.#neverMatched,
      begins: () => this.#generates(),
    };
  }

  async #close(): Promise<void> {
    this.#trace.watch();
    const errors = new NativeErrors(this.#causes); // the engine's own NativeErrors refuses a second attempt
    this.#neverMatched.report(this.hooks);
    const closed = Sessions.beginClose(this.sessions);
    const task = new Task((_, onEnd) => this.#native.close(onEnd), { errors });
    this.#errors.close();
    try {
      await task.ended;
    } catch (error) {
      if ((error as LlamaHooksError).code === "STUCK") this.#trace.close();
      throw error;
    }
    this.#trace.close();
    await closed();
  }

  /** Traces every failure, and warns about the first failure of each hook. */
  #observerFailed(entry: HookEntry, cause: unknown, first: boolean): void {
    const point = entry.point.info.tsName;
    const hook = entry.name === "" ? `hook ${entry.id}` : entry.name;
    this.#trace.push({ type: "lifecycle", event: "observerFailed", timeUs: Date.now() * 1000, hook, point, cause });
    if (!first || this.#ignoresFailures) return;
    const why = describeThrown(cause);
    const { location } = entry;
    warnOfHook({ name: hook, point, location, code: "HOOK_FAILED", why, effect: "observed", thrown: { cause } });
  }
}
