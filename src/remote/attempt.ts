// Makes one attempt at an answer of a remote model: reads its parts, and passes them on as pieces.
import { type End, endOf, type RefusedChunk, refusedChunk } from "./answer-end.js";
import { parameterOf } from "./call-options.js";
import { Deadline } from "./deadline.js";
import { RemoteFailure } from "./failure.js";
import type { CallOptions, LanguageModel, StreamPart } from "./language-model.js";
import { givenKeys } from "./model-keys.js";
import type { RemoteModel } from "./remote.js";
import { type CleanStream, PlainJson, type Secrets } from "./secrets.js";
import type { Writer } from "./writer.js";

/** A tool call of the answer. */
interface Call {
  readonly index: number;
  /** The arguments so far. */
  written: string;
  /** True: its pieces are not JSON, so the whole is sent at its end. */
  readonly isText: boolean;
  readonly plain: PlainJson;
  readonly clean: CleanStream;
}

type TextKind = "content" | "reasoning";

/** One attempt at an answer. */
export class Attempt {
  readonly #remote: RemoteModel;
  readonly #writer: Writer;
  #secrets: Secrets;
  /** The text under way. */
  #text: { readonly kind: TextKind; readonly clean: CleanStream } | undefined;
  #refused: RefusedChunk | undefined;
  /** The calls under way, by the provider's ids. */
  readonly #calls = new Map<string, Call>();
  #callCount = 0;

  constructor(remote: RemoteModel, writer: Writer) {
    this.#remote = remote;
    this.#writer = writer;
    this.#secrets = givenKeys(remote);
  }

  /** `keys` returns the keys of the model; the time that it waits counts as time of the model. */
  async run(
    model: LanguageModel,
    options: Omit<CallOptions, "abortSignal">,
    keys: () => Promise<Secrets>,
  ): Promise<End> {
    const stop = new AbortController();
    const onGone = (): void => stop.abort();
    this.#writer.signal.addEventListener("abort", onGone);
    if (this.#writer.unwanted) stop.abort();
    const deadline = new Deadline(stop, this.#remote.limits());
    try {
      this.#secrets = await deadline.bound(keys());
      const call = model.doStream({ ...options, abortSignal: stop.signal } as never);
      const { stream } = await deadline.bound(call);
      const reader = stream.getReader() as ReadableStreamDefaultReader<StreamPart>;
      try {
        return await this.#read(reader, deadline);
      } catch (error) {
        if (!this.#writer.unwanted) await this.#endText(); // the text so far is kept
        throw error;
      } finally {
        // A stream that is read to its end has nothing to cancel. The outcome of another stream's cancel does not
        // matter.
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
        this.#refuseUnsupported(part);
        return undefined;
      case "text-delta":
      case "reasoning-delta":
        await this.#say(part.type === "text-delta" ? "content" : "reasoning", part.delta ?? "");
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
        await this.#takeRefused(part.error);
        return undefined;
      case "finish":
        await this.#endText();
        return endOf(part, this.#refused);
      default:
        return undefined;
    }
  }

  async #say(kind: TextKind, delta: string): Promise<void> {
    if (delta === "") return; // it ends no text
    if (this.#text?.kind !== kind) await this.#endText();
    this.#text ??= { kind, clean: this.#secrets.stream() };
    await this.#write({ kind, text: this.#text.clean.push(delta) });
  }

  async #endText(): Promise<void> {
    const text = this.#text;
    this.#text = undefined;
    if (text !== undefined) await this.#write({ kind: text.kind, text: text.clean.end() });
  }

  async #write(piece: { readonly kind: string; readonly index?: number; readonly text: string }): Promise<void> {
    if (piece.text !== "") await this.#writer.write(piece);
  }

  /** Errors: `error`, unless it is only about the usage. */
  async #takeRefused(error: unknown): Promise<void> {
    const chunk = refusedChunk(error);
    if (chunk === undefined) throw error;
    await this.#say("reasoning", chunk.reasoning);
    await this.#say("content", chunk.content);
    this.#refused = { ...chunk, finish: chunk.finish ?? this.#refused?.finish };
  }

  async #begin(id: string, name: string, isText: boolean): Promise<Call> {
    await this.#endText();
    const index = this.#callCount++;
    const call = { index, written: "", isText, plain: new PlainJson(), clean: this.#secrets.stream() };
    this.#calls.set(id, call);
    const names = { id: this.#secrets.cleanName(id), name: this.#secrets.cleanName(name) };
    await this.#writer.write({ kind: "tool_call", index, ...names, tokens: 0 });
    return call;
  }

  async #grow(id: string, delta: string): Promise<void> {
    const call = this.#calls.get(id);
    if (call === undefined || call.isText || delta === "") return;
    call.written += delta;
    await this.#write({ kind: "tool_call", index: call.index, text: call.clean.push(call.plain.push(delta)) });
  }

  /** The whole of a call: sends the rest that its pieces did not contain. */
  async #complete(id: string, name: string, input: string): Promise<void> {
    const call = this.#calls.get(id) ?? (await this.#begin(id, name, true));
    this.#calls.delete(id); // another call may have the same id
    const text = call.plain.push(call.written === "" ? input : "") + call.plain.end();
    await this.#write({ kind: "tool_call", index: call.index, text: call.clean.push(text) + call.clean.end() });
  }

  /** Refuses options that the provider would leave out silently. */
  #refuseUnsupported({ warnings = [] }: StreamPart): void {
    const names = warnings.flatMap(({ type, feature, setting }) =>
      type.startsWith("unsupported") ? [feature ?? setting ?? "an option"] : [],
    );
    for (const name of names) this.#remote.leavesOut(parameterOf(name));
    if (names.length > 0)
      throw new RemoteFailure("UNSUPPORTED_BY_MODEL", `the provider does not support ${names.join(", ")}`);
  }
}
