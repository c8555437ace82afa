// A conversation with an agent. Must not: hold state that the engine holds.
import type { Causes } from "../base/causes.js";
import { LlamaHooksError } from "../base/errors.js";
import { toJson } from "../base/wire.js";
import { messagesFromWire } from "../generate/messages.js";
import type { ToolSettings } from "../generate/tool.js";
import type { Message } from "../generated/points.js";
import type { NativeEngine } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import { Task } from "../native/task.js";
import { Run } from "./run.js";
import { checkRun, checkSession, type RunOptions, type SessionOptions } from "./session-options.js";
import { Refusal, type ToolFunctions } from "./tool-functions.js";

/** What a session needs of its engine. */
export interface SessionHost {
  readonly native: NativeEngine;
  readonly errors: NativeErrors;
  readonly causes: Causes;
  readonly functions: ToolFunctions;
}

const jsonResult = 1;
const trusted = 2;
const exclusive = 4;

/** Bits of lh_tool.flags. */
function flagsOf(settings: ToolSettings): number {
  return jsonResult | (settings.trusted ? trusted : 0) | (settings.exclusive ? exclusive : 0);
}

/**
 * A conversation whose runs call the model and its tools in turn. Made by `engine.session()`. Close it when it is no longer
 * needed (`await using` does): what is open then is closed with the engine.
 */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly #host: SessionHost;
  readonly #functions: number[] = [];
  #closing: Promise<void> | undefined;

  /** Made by `engine.session()` only. */
  constructor(host: SessionHost, options: SessionOptions | undefined) {
    const { json, tools } = checkSession(options);
    this.#host = host;
    try {
      const native = tools.map(({ name, description, parameters, settings, check, run }) => ({
        name,
        description,
        parameters: toJson(parameters),
        deadlineMs: settings.deadlineMs ?? -1,
        flags: flagsOf(settings),
        run: this.#add(({ args }, context) => run(args, context)),
        check: this.#add(({ args }) => {
          const wrong = check(args);
          if (wrong !== undefined) throw new Refusal(wrong);
        }),
      }));
      this.id = host.errors.call(() => host.native.openSession(json, native));
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /**
   * One run: what the user says, then model calls and tool calls in turn, until the model answers without a tool call or
   * something ends it. Misuse throws `TypeError` at once. A hook that ends it, an aborted signal, `cancel()` and a limit
   * resolve, with `finishReason` "halted", "cancelled" or "limit"; errors reject with a `LlamaHooksError`: SESSION_BUSY
   * while another run of the session is under way, NOT_FOUND when it is closed, and those of `engine.generate()`.
   * Every tool call has exactly one result, however the run ends. A run in which the model said nothing leaves the history
   * as it was.
   */
  run(input: string, options?: RunOptions): Run {
    const { native, errors, causes } = this.#host;
    return new Run(native, this.id, checkRun(input, options), errors, causes);
  }

  /** What was said until now, without the system prompt: never a tool call without its result. Errors: NOT_FOUND. */
  history(): readonly Message[] {
    return messagesFromWire(JSON.parse(this.#host.errors.call(() => this.#host.native.sessionHistory(this.id))));
  }

  /**
   * Cancels what runs and ends the session: sessionEnd fires. A second close resolves when the first has. Errors: REENTRANT
   * inside a hook that holds up its run, which the close would wait for; a tool of the session may close it.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close().catch((error: unknown) => {
      this.#closing = undefined; // refused inside a hook, say: it may be closed later
      throw error;
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { native, errors } = this.#host;
    await Promise.resolve(); // a run that was asked for before begins before: it is cancelled, too
    const task = new Task((_, onEnd) => native.closeSession(this.id, onEnd), { errors });
    await task.ended.catch((error: unknown) => {
      // Closed with the engine already, or about to be.
      if (!(error instanceof LlamaHooksError && error.code === "CLOSED")) throw error;
    });
    this.#forget();
  }

  #add(run: Parameters<ToolFunctions["add"]>[0]): number {
    const id = this.#host.functions.add(run);
    this.#functions.push(id);
    return id;
  }

  #forget(): void {
    for (const id of this.#functions.splice(0)) this.#host.functions.remove(id);
  }
}
