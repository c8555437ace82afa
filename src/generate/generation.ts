// One model call under way: awaitable and iterable. Must not: check arguments.
import type { Causes } from "../base/causes.js";
import type { EndEvent, GenerateEvent, GenerateResult } from "../generated/results.js";
import { CallHooks } from "../hooks/call-hooks.js";
import type { HookHost } from "../hooks/hooks.js";
import { Running } from "../native/running.js";
import type { GenerateRequest } from "./generate-request.js";
import { eventFromWire, resultFromWire } from "./generate-result.js";

/**
 * What `engine.generate()` returns. `await` it for the result, iterate over it for the events, or both.
 *
 * The call starts in the microtask after `generate()`. An iteration that begins before that (`for await` right away)
 * gets every event; one that begins later gets the events from then on, and always the end. Without any iteration no
 * event is made. Several iterations each get the events.
 *
 * An iteration that has begun to read and is behind holds back its own call, and no other: 250 to 500 events after what
 * it has read, the model waits. Of several iterations the slowest holds back. None does that never asked for an event,
 * and none does any more once the result is awaited (by `await`, `then`, `catch` or `finally`): awaiting it says that
 * the call is to get to its end, and what is not read by then stays there to be read. So a loop that awaits the result
 * in its body, or stops reading and awaits it, gets it. A call that is held back does not keep the process alive.
 *
 * Leaving an iteration early cancels the call, once nobody else iterates; the text so far is in the result.
 * An error of the call rejects the promise and is thrown by each iteration.
 */
export class Generation extends Running<Exclude<GenerateEvent, EndEvent>, GenerateResult> {
  /** Made by `engine.generate()` only. */
  constructor(host: HookHost, { json, signal, hooks }: GenerateRequest, causes: Causes) {
    const own = new CallHooks(host, "generation", hooks);
    super({
      start: (onWake, onEnd, subscribed) => host.native.generate(json, onWake, onEnd, subscribed, own.begin()),
      ended: () => own.end(),
      errors: host.errors,
      signal,
      event: eventFromWire,
      result: (text) => resultFromWire(text, causes, signal),
    });
  }
}
