// Answers requests: finds the endpoint, lets the caller in, counts and logs. Both adapters use it.
import { randomUUID } from "node:crypto";
import type { Engine } from "../index.js";
import { type Cost, Metrics } from "./endpoints/metrics.js";
import { ModelNames } from "./endpoints/model-names.js";
import { endpointAt, routeOf } from "./endpoints/routes.js";
import type { Endpoint } from "./endpoints/visit.js";
import { ApiError } from "./http/api-error.js";
import { readJson } from "./http/body.js";
import { type Caller, Callers } from "./http/callers.js";
import { type Answer, type Exchange, json } from "./http/exchange.js";
import { apiErrorOf } from "./http/failure.js";
import { checkHost } from "./http/host.js";
import { Slots } from "./http/quota.js";
import type { CheckedOptions } from "./options.js";
import type { RequestRecord } from "./request-record.js";
import { SessionBook } from "./sessions/session-book.js";

/** Milliseconds that a closing server waits for calls that it has cancelled. */
const afterCancelMs = 2000;

/** Maximum size in bytes of a request that ends or releases others. */
const mostControlBytes = 2 ** 20;

/** One request while it is under way. */
class Passage {
  readonly id = randomUUID();
  readonly stop = new AbortController();
  readonly begun = performance.now();
  readonly time = new Date().toISOString();
  endpoint: Endpoint | undefined;
  caller: Caller | undefined;
  error: unknown;
  prompt = 0;
  completion = 0;
  /** Releases everything that the request holds. */
  readonly releases: (() => void)[] = [];
}

/** The requests of one server. */
export class Answering {
  readonly #engine: Engine;
  readonly #options: CheckedOptions;
  readonly #models: ModelNames;
  readonly #callers: Callers;
  readonly #slots: Slots;
  /** Slots for requests that end or release others. */
  readonly #controls: Slots;
  readonly #sessions: SessionBook | undefined;
  readonly #metrics = new Metrics();
  readonly #running = new Set<Passage>();
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(engine: Engine, options: CheckedOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#models = new ModelNames(engine, options.aliases);
    this.#callers = new Callers(options.keys);
    this.#slots = new Slots(options.maxRequests, "too_many_requests");
    this.#controls = new Slots(options.maxRequests, "too_many_requests");
    this.#sessions = options.sessions && new SessionBook(engine, options.sessions);
  }

  /** Answers a request. Never rejects. */
  async answer(exchange: Exchange): Promise<Answer> {
    const request = new Passage();
    this.#running.add(request);
    this.#metrics.begin();
    const abort = (): void => request.stop.abort();
    if (exchange.signal.aborted) abort();
    exchange.signal.addEventListener("abort", abort, { once: true });
    const answer = await this.#try(exchange, request);
    const end = (): void => {
      exchange.signal.removeEventListener("abort", abort);
      this.#end(exchange, request, answer.status);
    };
    const headers = { ...answer.headers, "x-request-id": request.id, "request-id": request.id }; // OpenAI's, Anthropic's
    const { body } = answer;
    if (typeof body === "string") {
      end();
      return { ...answer, headers };
    }
    void body.ended.then(end);
    const stop = (): void => {
      request.stop.abort();
      body.stop();
    };
    return { ...answer, headers, body: { next: () => body.next(), stop, ended: body.ended } };
  }

  /**
   * Refuses new requests. Those under way may end within the grace; then they are cancelled. Resolves when all have
   * ended, or soon after the cancel, because a hook may hold one up for ever.
   */
  close(graceMs: number): Promise<void> {
    return (this.#closing ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    if (this.#running.size > 0) await this.#endRequests(graceMs);
    await this.#sessions?.close();
  }

  async #endRequests(graceMs: number): Promise<void> {
    const timers: NodeJS.Timeout[] = [];
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      timers.push(
        setTimeout(() => {
          for (const { stop } of this.#running) stop.abort();
          timers.push(setTimeout(resolve, afterCancelMs));
        }, graceMs),
      );
    });
    timers.forEach(clearTimeout);
  }

  async #try(exchange: Exchange, request: Passage): Promise<Answer> {
    try {
      return await this.#enter(exchange, request);
    } catch (thrown) {
      const error = apiErrorOf(thrown, request.id, request.endpoint?.members);
      if (error.cause !== undefined) request.error = error.cause;
      const envelope = request.endpoint?.errorOf?.(error, request.id) ?? error.envelope;
      const answer = json(error.status, envelope, error.headers);
      return error.closes || this.#closing !== undefined ? { ...answer, closes: true } : answer;
    }
  }

  async #enter(exchange: Exchange, request: Passage): Promise<Answer> {
    request.endpoint = endpointAt(exchange.path); // errors have the form of its protocol
    if (this.#options.checkHost) checkHost(exchange);
    const { endpoint, names } = routeOf(exchange.method, exchange.path, exchange.header("host"));
    request.endpoint = endpoint;
    if (this.#closing !== undefined && endpoint.isControl !== true)
      throw new ApiError(503, "The server is closing", { code: "closing", closes: true });
    const caller = endpoint.isOpen === true ? undefined : this.#callers.of(exchange);
    request.caller = caller;
    return endpoint.answer({
      engine: this.#engine,
      models: this.#models,
      metrics: this.#metrics,
      id: request.id,
      names,
      body: endpoint.method === "POST" ? await this.#body(exchange, request, endpoint) : {},
      sessions: this.#sessions,
      caller: caller ?? this.#callers.everybody,
      hooks: [...this.#options.hooks, ...(caller?.hooks ?? [])],
      signal: request.stop.signal,
      amounts: this.#options,
      keepAliveMs: this.#options.keepAliveMs,
      reserve: (texts, maxTokens) => reserve(request, texts, maxTokens),
      spend: (modelId, cost) => this.#spend(request, modelId, cost),
      fail: (error) => (request.error = error),
    });
  }

  /** A place is taken before the body is read, so that bodies cannot fill the memory. */
  async #body(
    exchange: Exchange,
    { caller, releases, stop }: Passage,
    { isControl }: Endpoint,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { maxBodyBytes, bodyTimeoutMs } = this.#options;
    if (isControl === true) {
      releases.push(this.#controls.take());
      const limits = { maxBodyBytes: Math.min(maxBodyBytes, mostControlBytes), bodyTimeoutMs };
      return readJson({ ...exchange, signal: stop.signal }, limits);
    }
    caller?.budget?.check();
    if (caller !== undefined) releases.push(caller.slots.take());
    releases.push(this.#slots.take());
    return readJson({ ...exchange, signal: stop.signal }, { maxBodyBytes, bodyTimeoutMs });
  }

  #spend(request: Passage, modelId: string, cost: Cost): void {
    request.prompt += cost.promptTokens;
    request.completion += cost.completionTokens;
    request.caller?.budget?.pay(cost.promptTokens + cost.completionTokens);
    this.#metrics.spend(modelId, cost);
  }

  #end(exchange: Exchange, request: Passage, status: number): void {
    for (const release of request.releases) release();
    const ms = performance.now() - request.begun;
    this.#metrics.end(request.endpoint?.path ?? "other", status, ms / 1000);
    this.#log({
      time: request.time,
      id: request.id,
      key: request.caller?.name ?? null,
      method: exchange.method,
      path: exchange.path,
      status,
      ms: Math.round(ms),
      promptTokens: request.prompt,
      completionTokens: request.completion,
      cancelled: request.stop.signal.aborted,
      ...(request.error !== undefined && { error: request.error }),
    });
    this.#running.delete(request);
    if (this.#running.size === 0) this.#onIdle?.();
  }

  #log(record: RequestRecord): void {
    try {
      const returned: unknown = this.#options.onRequest?.(record);
      if (returned instanceof Promise) returned.catch(warn);
    } catch (error) {
      warn(error);
    }
  }
}

/**
 * Estimates four bytes a token, like `estimateTokens()`. The end of the request releases the reserved tokens and
 * charges the real ones.
 */
function reserve({ caller, releases }: Passage, texts: readonly string[], maxTokens = 0): void {
  if (caller?.budget === undefined) return;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  releases.push(caller.budget.reserve(Math.ceil(bytes / 4) + maxTokens));
}

function warn(error: unknown): void {
  process.emitWarning(`onRequest of the server threw: ${String(error)}`);
}
