// One answer of a remote model: asks, tries again, and passes the pieces to the engine.
import { setTimeout as sleep } from "node:timers/promises";
import { errorNumbers } from "../generated/errors.js";
import type { NativeStream } from "../native/addon.js";
import { toJson } from "../base/wire.js";
import { hintsFor } from "./affinity.js";
import { callOptions } from "./call-options.js";
import { failureOf, RemoteFailure } from "./failure.js";
import type { CallOptions, LanguageModel, StreamPart } from "./language-model.js";
import type { OwnRequest } from "./own-request.js";
import type { RemoteCallLimits, RemoteModel } from "./remote.js";

const firstPauseMs = 500;
/** Characters of an answer, as JSON: more than any context holds. */
const mostLength = 64 * 2 ** 20;
const { BUSY, CANCELLED } = errorNumbers;

/** Asks `remote` for the answer to a request, and ends the stream in every case. */
export async function answer(remote: RemoteModel, requestJson: string, stream: NativeStream): Promise<void> {
  const writer = new Writer(stream);
  const clean = (text: string): string => remote.withoutSecrets(text);
  const request = JSON.parse(requestJson) as OwnRequest;
  try {
    const end = await ask(remote, request, writer, clean);
    stream.end(0, toJson(end));
  } catch (thrown) {
    const failure = failureOf(thrown, writer.begun, clean);
    const who = failure.code === "UNSUPPORTED_BY_MODEL" ? `the model "${request.model_id}"` : remote.address;
    const message = `${who}: ${clean(failure.message)}`;
    stream.end(writer.unwanted ? CANCELLED : errorNumbers[failure.code], toJson({ message }));
  }
}

/** Tries again as long as nothing of an answer has come. */
async function ask(
  remote: RemoteModel,
  request: OwnRequest,
  writer: Writer,
  clean: (text: string) => string,
): Promise<End> {
  for (let attempt = 0; ; attempt++) {
    try {
      const model = await remote.open();
      const hints = hintsFor(remote.affinity(), request, attempt);
      // "openai.chat" is the provider "openai".
      const provider = model.provider.split(".")[0] ?? "";
      return await new Attempt(model, remote.limits(), writer).run(callOptions(request, hints, provider));
    } catch (thrown) {
      const failure = failureOf(thrown, writer.begun, clean);
      const mayTry = failure.isTransient && !writer.begun && !writer.unwanted && attempt < remote.limits().retries;
      if (!mayTry) throw failure;
      const pause = Math.max(firstPauseMs * 2 ** attempt * (0.75 + Math.random() / 2), failure.waitMs);
      await sleep(pause, undefined, { signal: writer.signal });
    }
  }
}

/** The end of an answer, as `lh_stream_end` takes it. */
interface End {
  readonly finish_reason: "stop" | "length" | "tool_calls";
  readonly usage?: Readonly<Record<string, number>>;
}

/** Sends pieces as fast as the engine takes them. */
class Writer {
  /** A piece has come. */
  begun = false;
  /** Pieces that were sent. */
  written = 0;
  #length = 0;
  readonly #stream: NativeStream;
  readonly #gone = new AbortController();
  #woken: (() => void) | undefined;

  constructor(stream: NativeStream) {
    this.#stream = stream;
    stream.onWake(() => {
      const waiting = this.#woken;
      this.#woken = undefined;
      if (waiting === undefined) this.#gone.abort();
      else waiting();
    });
  }

  /** Aborts when nobody wants the answer any more. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get unwanted(): boolean {
    return this.#gone.signal.aborted;
  }

  async write(piece: object): Promise<void> {
    this.begun = true;
    const json = toJson(piece);
    this.#length += json.length;
    if (this.#length > mostLength)
      throw new RemoteFailure("REMOTE_FAILED", `the answer is longer than ${mostLength} characters`);
    for (;;) {
      const status = this.#stream.piece(json);
      if (status === 0) {
        this.written++;
        return;
      }
      if (status !== BUSY) {
        this.#gone.abort();
        throw new RemoteFailure("CANCELLED", "nobody reads the answer any more");
      }
      await new Promise<void>((resolve) => (this.#woken = resolve));
    }
  }
}

const reasons: Readonly<Record<string, End["finish_reason"]>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
};

/** Words of servers that did not finish: "abort" of vLLM and SGLang, "insufficient_system_resource" of DeepSeek. */
const badEnds = /abort|cancel|error|fail|resource|timeout/i;

/** A tool call of the answer. */
interface Call {
  readonly index: number;
  /** The arguments so far. */
  written: string;
  /** Its pieces are not JSON: the whole comes at its end. */
  readonly isText: boolean;
}

/** One attempt at an answer. */
class Attempt {
  readonly #model: LanguageModel;
  readonly #limits: RemoteCallLimits;
  readonly #writer: Writer;
  /** Under way, by the ids that the provider gives them. */
  readonly #calls = new Map<string, Call>();
  #callCount = 0;

  constructor(model: LanguageModel, limits: RemoteCallLimits, writer: Writer) {
    this.#model = model;
    this.#limits = limits;
    this.#writer = writer;
  }

  async run(options: Omit<CallOptions, "abortSignal">): Promise<End> {
    const stop = new AbortController();
    const onGone = (): void => stop.abort();
    this.#writer.signal.addEventListener("abort", onGone);
    if (this.#writer.unwanted) stop.abort();
    const deadline = new Deadline(stop, this.#limits);
    try {
      const call = this.#model.doStream({ ...options, abortSignal: stop.signal } as never);
      const { stream } = await deadline.bound(call);
      const reader = stream.getReader() as ReadableStreamDefaultReader<StreamPart>;
      try {
        return await this.#read(reader, deadline);
      } finally {
        // A stream that is read to its end has nothing to cancel; of another, nobody hears how its cancel ended.
        reader.cancel().catch(() => undefined);
      }
    } finally {
      deadline.clear();
      this.#writer.signal.removeEventListener("abort", onGone);
      stop.abort();
    }
  }

  async #read(reader: ReadableStreamDefaultReader<StreamPart>, deadline: Deadline): Promise<End> {
    for (;;) {
      const { done, value } = await deadline.bound(reader.read());
      if (done) throw new RemoteFailure("REMOTE_FAILED", "the answer ended without saying that it is complete");
      const written = this.#writer.written;
      const end = await this.#take(value);
      if (end !== undefined) return end;
      if (this.#writer.written > written) deadline.piece();
    }
  }

  async #take(part: StreamPart): Promise<End | undefined> {
    switch (part.type) {
      case "stream-start":
        refuseUnsupported(part);
        return undefined;
      case "text-delta":
      case "reasoning-delta":
        if (part.delta !== undefined && part.delta !== "")
          await this.#writer.write({ kind: part.type === "text-delta" ? "content" : "reasoning", text: part.delta });
        return undefined;
      case "tool-input-start":
        if (part.providerExecuted !== true)
          await this.#begin(part.id ?? "", part.toolName ?? "", part.inputEncoding === "text");
        return undefined;
      case "tool-input-delta":
        await this.#grow(part.id ?? "", part.delta ?? "");
        return undefined;
      case "tool-call":
        if (part.providerExecuted !== true)
          await this.#complete(part.toolCallId ?? "", part.toolName ?? "", part.input ?? "");
        return undefined;
      case "error":
        throw part.error;
      case "finish":
        return endOf(part);
      default:
        return undefined;
    }
  }

  async #begin(id: string, name: string, isText: boolean): Promise<Call> {
    const call = { index: this.#callCount++, written: "", isText };
    this.#calls.set(id, call);
    await this.#writer.write({ kind: "tool_call", index: call.index, id, name, tokens: 0 });
    return call;
  }

  async #grow(id: string, delta: string): Promise<void> {
    const call = this.#calls.get(id);
    if (call === undefined || call.isText || delta === "") return;
    call.written += delta;
    await this.#writer.write({ kind: "tool_call", index: call.index, text: delta });
  }

  /** The whole of a call: what its pieces have not said yet. */
  async #complete(id: string, name: string, input: string): Promise<void> {
    const call = this.#calls.get(id) ?? (await this.#begin(id, name, true));
    this.#calls.delete(id); // another call may have the same id
    if (call.written === "" && input !== "")
      await this.#writer.write({ kind: "tool_call", index: call.index, text: input });
  }
}

/** Options that the provider would leave out without a word of the server. */
function refuseUnsupported({ warnings = [] }: StreamPart): void {
  const names = warnings.flatMap(({ type, feature, setting }) =>
    type.startsWith("unsupported") ? [feature ?? setting ?? "an option"] : [],
  );
  if (names.length > 0)
    throw new RemoteFailure("UNSUPPORTED_BY_MODEL", `the provider does not support ${names.join(", ")}`);
}

function endOf({ finishReason, usage }: StreamPart): End {
  const { unified = "other", raw } = finishReason ?? {};
  if (unified === "content-filter")
    throw new RemoteFailure("REMOTE_REFUSED", "the content filter of the server ended the answer");
  const reason = reasons[unified];
  if (raw !== undefined && badEnds.test(raw))
    throw new RemoteFailure("REMOTE_FAILED", `the answer ended with "${raw}"`);
  if (reason === undefined && (unified !== "other" || raw === undefined)) {
    const why = raw === undefined ? "without saying why: it may be incomplete" : `with "${raw}"`;
    throw new RemoteFailure("REMOTE_FAILED", `the answer ended ${why}`);
  }
  const counts = {
    prompt_tokens: usage?.inputTokens?.total,
    cached_tokens: usage?.inputTokens?.cacheRead,
    completion_tokens: usage?.outputTokens?.total,
    reasoning_tokens: usage?.outputTokens?.reasoning,
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined && Number.isSafeInteger(count));
  return {
    finish_reason: reason ?? "stop",
    ...(counts.prompt_tokens !== undefined &&
      counts.completion_tokens !== undefined && { usage: Object.fromEntries(known) as Record<string, number> }),
  };
}

/** Stops an attempt of which no piece comes for too long. */
class Deadline {
  readonly #stop: AbortController;
  readonly #limits: RemoteCallLimits;
  #reject: ((error: Error) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The time at which the timer looks. */
  #looks = Infinity;
  /** The time at which the next piece is due. */
  #due: number;
  #begun = false;
  #waits = false;

  constructor(stop: AbortController, limits: RemoteCallLimits) {
    this.#stop = stop;
    this.#limits = limits;
    this.#due = dueIn(limits.firstPieceMs);
    stop.signal.addEventListener("abort", () => this.#reject?.(new RemoteFailure("CANCELLED", "it was stopped")));
  }

  /** A piece has come, and was taken: the time that a slow reader takes does not count. */
  piece(): void {
    this.#begun = true;
    this.#due = dueIn(this.#limits.pieceMs);
  }

  /** The result of the work, unless the time is over first or nobody wants the answer. */
  async bound<T>(work: PromiseLike<T>): Promise<T> {
    this.#waits = true;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#reject = reject;
        if (this.#stop.signal.aborted) reject(new RemoteFailure("CANCELLED", "it was stopped"));
        work.then(resolve, reject);
        if (this.#due < this.#looks) this.#look();
      });
    } finally {
      this.#reject = undefined;
      this.#waits = false;
    }
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#looks = Infinity;
  }

  // A timer that looks again later is cheaper than a new one for each piece.
  #look(): void {
    this.clear();
    const left = this.#due - performance.now();
    if (!this.#waits || left === Infinity) return;
    if (left > 0) {
      this.#looks = this.#due;
      this.#timer = setTimeout(() => this.#look(), Math.ceil(left));
      return;
    }
    const ms = this.#begun ? this.#limits.pieceMs : this.#limits.firstPieceMs;
    this.#reject?.(new RemoteFailure("REMOTE_TIMEOUT", `nothing came for ${ms} ms`));
    this.#stop.abort();
  }
}

const dueIn = (ms: number): number => (ms === 0 ? Infinity : performance.now() + ms);
