// One running model call: can be awaited and iterated over.
import type { Causes } from "../base/causes.js";
import type { EndEvent, GenerateEvent, GenerateResult } from "../generated/results.js";
import { CallHooks } from "../hooks/call-hooks.js";
import type { HookHost } from "../hooks/hooks.js";
import { Running } from "../native/running.js";
import type { GenerateRequest } from "./generate-request.js";
import { eventFromWire, resultFromWire } from "./generate-result.js";
import { textsOf } from "./text-stream.js";

/** The answer of a call with the option `answer`. */
export interface GivenAnswer<Answer> {
  /**
   * The answer, as the schema describes it. Undefined: there is none, because the text was cut off or cancelled
   * (`finishReason`), because the model has called tools, or for the reason in `answerFault`.
   */
  readonly answer: Answer | undefined;
  /** The reason why a complete text is not a valid answer: it breaks a rule that only the schema object knows. */
  readonly answerFault?: string;
}

/** The result of `engine.generate()` with the option `answer`. */
export interface AnsweredGenerateResult<Answer> extends GenerateResult, GivenAnswer<Answer> {}

/** Makes the answer of a result. */
export type AnswerOf = (result: GenerateResult) => Promise<GivenAnswer<unknown>>;

/**
 * One model call, returned by `engine.generate()`. `await` it for the result, iterate over it for the events, or both.
 *
 * The call starts in the microtask after `generate()`. An iteration that begins before that (`for await` right away)
 * gets every event. A later one gets the events from its start on, and always the end event. Without an iteration no
 * events are created. Several iterations each get the events.
 *
 * A slow iteration slows down its own call: the model pauses when it is 250 to 500 events ahead of the slowest
 * iteration. An iteration that never asked for an event does not count. Awaiting the result (`await`, `then`, `catch`
 * or `finally`) ends this: the call then runs to its end, and unread events stay queued. So a loop may await the result
 * in its body, or stop reading and await it. A paused call does not keep the process alive.
 *
 * Leaving the last iteration early cancels the call; the result has the text so far. An error of the call rejects the
 * promise, and each iteration throws it.
 */
export class Generation<Result = GenerateResult> extends Running<Exclude<GenerateEvent, EndEvent>, Result> {
  /** Called by `engine.generate()` only. */
  constructor(host: HookHost, { json, signal, hooks }: GenerateRequest, causes: Causes, answerOf?: AnswerOf) {
    const own = new CallHooks(host, "generation", hooks);
    super({
      start: (onWake, onEnd, subscribed, cancelled) =>
        host.native.generate(json, onWake, onEnd, subscribed, own.begin(), cancelled),
      ended: () => own.end(),
      errors: host.errors,
      signal,
      event: eventFromWire,
      result: (text) => {
        const result = resultFromWire(text, causes, signal);
        if (answerOf === undefined) return result as Result;
        return answerOf(result).then((given) => ({ ...result, ...given }) as Result);
      },
    });
  }

  /**
   * The answer's text alone, piece by piece, without reasoning and tool calls:
   * `for await (const text of generation.textStream)`. Each read of the property begins a new iteration; leaving it
   * early cancels the call, as with any other iteration. Together the pieces are `text` of the result. If a hook asks
   * for another answer, or replaces text that has already been streamed, the new text follows after an empty line; with
   * `stream: "held"` no text is streamed before it is final.
   *
   * @example
   * ```ts
   * for await (const text of engine.generate("Hello!").textStream) process.stdout.write(text);
   * ```
   */
  get textStream(): AsyncGenerator<string, void, undefined> {
    return textsOf(this[Symbol.asyncIterator]());
  }
}
