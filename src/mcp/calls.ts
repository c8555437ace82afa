// Calls of a server's tools: their signals, progress and time, and which call a server's question belongs to.
import { AsyncLocalStorage } from "node:async_hooks";
import { LlamaHooksError, type ToolContext } from "../index.js";
import { failed, quoted } from "./failures.js";
import type { Setup } from "./options.js";
import type { Replies } from "./replies.js";

/** Options that make a request of the client a part of a call. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly onprogress: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

/** The engine's deadline and the signal end a call; the client's own timer must not do so earlier. */
const noTimeout = 2 ** 31 - 1;

/** One call of a tool that is under way. */
export class OpenCall {
  readonly context: ToolContext;
  readonly #setup: Setup;
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.stop(this.context.signal.reason);
  /** The async context of the call: messages of the server arrive in that of the connection. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  /** Milliseconds that are left of `maxCallMs`; the time of questions does not count. */
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #asking = 0;
  questions = 0;

  constructor(context: ToolContext, setup: Setup) {
    this.context = context;
    this.#setup = setup;
    this.#left = setup.maxCallMs;
    context.signal.addEventListener("abort", this.#abort, { once: true });
    if (context.signal.aborted) this.#abort();
    this.#count();
  }

  get options(): CallOptions {
    return {
      signal: this.#controller.signal,
      timeout: noTimeout,
      onprogress: ({ progress, total, message }) => {
        // A number that the engine does not accept must not fail the call: it still shows that the server is alive.
        const done = known(progress) ?? 0;
        this.context.progress(done, known(total), message === undefined ? undefined : quoted(message));
      },
    };
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** The reason, if the call was stopped from this side. */
  get stopped(): { readonly reason: unknown } | undefined {
    const { aborted, reason } = this.#controller.signal;
    return aborted ? { reason: reason as unknown } : undefined;
  }

  /** Runs `ask` with the clock of `maxCallMs` stopped. */
  async pausing<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#asking++ === 0) {
      clearTimeout(this.#timer);
      this.#left -= performance.now() - this.#since;
    }
    try {
      return await this.#inContext(ask);
    } finally {
      if (--this.#asking === 0) this.#count();
    }
  }

  end(): void {
    this.#asking = Infinity; // no question starts the clock again
    clearTimeout(this.#timer);
    this.context.signal.removeEventListener("abort", this.#abort);
  }

  #count(): void {
    const { maxCallMs, origin } = this.#setup;
    if (maxCallMs === 0) return;
    this.#since = performance.now();
    const late = (): void =>
      this.stop(
        new LlamaHooksError("MCP_LIMIT", `the MCP server ${origin} took more than ${maxCallMs} ms (maxCallMs)`),
      );
    this.#timer = setTimeout(late, Math.max(0, this.#left));
  }
}

function known(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The calls of a server that are under way. */
export class OpenCalls {
  readonly #open = new Set<OpenCall>();
  readonly #current = new AsyncLocalStorage<OpenCall>();
  readonly #setup: Setup;
  readonly #replies: Replies;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(setup: Setup, replies: Replies) {
    this.#setup = setup;
    this.#replies = replies;
  }

  /**
   * `did`: what the server did not do if the request fails. Errors: MCP_FAILED, MCP_LIMIT, the reason of the signal.
   */
  async run<T>(context: ToolContext, did: string, request: (options: CallOptions) => Promise<T>): Promise<T> {
    if (this.#stopped !== undefined) throw this.#stopped.reason;
    const call = new OpenCall(context, this.#setup);
    this.#open.add(call);
    try {
      const stop = (reason: unknown): void => call.stop(reason);
      return await this.#replies.run(stop, () => this.#current.run(call, () => request(call.options)));
    } catch (error) {
      throw call.stopped === undefined ? failed(this.#setup.origin, did, error) : call.stopped.reason;
    } finally {
      call.end();
      this.#open.delete(call);
    }
  }

  /**
   * The call that a question of the server belongs to. Over HTTP a server asks in the stream of the call, whose async
   * context this is; otherwise the protocol does not say, and only a single call leaves no doubt.
   */
  asking(): OpenCall | "none" | "several" {
    const own = this.#current.getStore();
    if (own !== undefined && this.#open.has(own)) return own;
    const [only, second] = this.#open;
    if (only === undefined) return "none";
    return second === undefined ? only : "several";
  }

  /** Stops the calls under way, and all later ones. */
  stop(reason: unknown): void {
    this.#stopped = { reason };
    for (const call of this.#open) call.stop(reason);
  }
}
