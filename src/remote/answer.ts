// One answer of a remote model: asks, tries again, and passes the pieces to the engine.
import { setTimeout as sleep } from "node:timers/promises";
import { errorNumbers } from "../generated/errors.js";
import type { NativeStream } from "../native/addon.js";
import { toJson } from "../base/wire.js";
import { hintsFor, secretsOf } from "./affinity.js";
import type { End } from "./answer-end.js";
import { Attempt } from "./attempt.js";
import { callOptions } from "./call-options.js";
import { failureOf, type RemoteFailure } from "./failure.js";
import { givenKeys, keysOf } from "./model-keys.js";
import type { OwnRequest } from "./own-request.js";
import type { RemoteModel } from "./remote.js";
import type { Secrets } from "./secrets.js";
import { Writer } from "./writer.js";

const firstPauseMs = 500;
const { CANCELLED } = errorNumbers;

/** Asks `remote` for the answer to a request, and ends the stream in every case. */
export async function answer(remote: RemoteModel, requestJson: string, stream: NativeStream): Promise<void> {
  const writer = new Writer(stream);
  const request = JSON.parse(requestJson) as OwnRequest;
  const asking = new Asking(remote, request, writer);
  try {
    const { doubt, ...end } = await asking.ask();
    if (doubt !== undefined) remote.doubts(doubt);
    stream.end(0, toJson(end));
  } catch (thrown) {
    const failure = asking.failureOf(thrown);
    const who = failure.code === "UNSUPPORTED_BY_MODEL" ? `the model "${request.model_id}"` : remote.address;
    const message = `${who}: ${asking.clean(failure.message)}`;
    stream.end(writer.unwanted ? CANCELLED : errorNumbers[failure.code], toJson({ message }));
  }
}

/** The attempts at one answer. */
class Asking {
  readonly #remote: RemoteModel;
  readonly #request: OwnRequest;
  readonly #writer: Writer;
  #secrets: Secrets;

  constructor(remote: RemoteModel, request: OwnRequest, writer: Writer) {
    this.#remote = remote;
    this.#request = request;
    this.#writer = writer;
    this.#secrets = givenKeys(remote);
  }

  /** Tries again until a piece of an answer arrives. */
  async ask(): Promise<End> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(attempt);
      } catch (thrown) {
        const failure = this.failureOf(thrown);
        const { begun, unwanted, signal } = this.#writer;
        const mayTry = failure.isTransient && !begun && !unwanted && attempt < this.#remote.limits().retries;
        if (!mayTry) throw failure;
        const pause = Math.max(firstPauseMs * 2 ** attempt * (0.75 + Math.random() / 2), failure.waitMs);
        await sleep(pause, undefined, { signal });
      }
    }
  }

  failureOf(thrown: unknown): RemoteFailure {
    return failureOf(thrown, this.#writer.begun, (text) => this.clean(text));
  }

  /** A text without the keys of the model. */
  clean(text: string): string {
    return this.#secrets.clean(text);
  }

  async #attempt(number: number): Promise<End> {
    const model = await this.#remote.open();
    const hints = hintsFor(this.#remote.affinity(), this.#request, number);
    const hinted = secretsOf(hints, this.#request);
    this.#secrets = this.#secrets.and(hinted);
    // "openai.chat" is the provider "openai".
    const provider = model.provider.split(".")[0] ?? "";
    const keys = async (): Promise<Secrets> => (this.#secrets = (await keysOf(this.#remote, model)).and(hinted));
    return new Attempt(this.#remote, this.#writer).run(model, callOptions(this.#request, hints, provider), keys);
  }
}
