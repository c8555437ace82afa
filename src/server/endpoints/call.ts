// One call of a model for a request, whole or streamed, in the form of any protocol.
import type { GenerateEvent, GenerateOptions, GenerateResult, Generation, InfillOptions } from "../../index.js";
import { checked } from "../http/api-error.js";
import { EventStream, soon } from "../http/event-stream.js";
import { type Answer, json } from "../http/exchange.js";
import { checkCall, checkInputs } from "../protocol/amounts.js";
import { type CallRequest, textsOf } from "../protocol/call-request.js";
import { type AnswerWriter, CallStream } from "../protocol/call-stream.js";
import { finishOf } from "../protocol/finish.js";
import { ignoredHeader } from "../protocol/members.js";
import { mustHold } from "./held.js";
import { withFitted } from "./fitting.js";
import { Meter } from "./meter.js";
import type { Visit } from "./visit.js";

/** The form in which a protocol writes answers. */
export interface AnswerForm {
  /** The whole answer. Errors: those of `finishOf()`. */
  whole(result: GenerateResult): object;
  /** Writes a stream. */
  writer(): AnswerWriter;
}

/** Calls the model. Errors: 400; those of the call. */
export async function answerCall(visit: Visit, request: CallRequest, form: AnswerForm): Promise<Answer> {
  checkCall(request, visit.amounts, visit.body["messages"] === undefined ? "input" : "messages");
  if (request.input !== undefined && "extra" in request.input)
    checkInputs(request.input.extra ?? [], visit.amounts, "input_extra");
  const isHeld = request.streams && mustHold(visit.engine, visit.hooks, request.options.tools !== undefined);
  const { streams } = request;
  visit.reserve(textsOf(request), request.options.maxTokens);
  const meter = new Meter(visit);
  const model = visit.models.idOf(request.model);
  return withFitted(visit.engine, model, request, async ({ options, left }) => {
    const all = { ...options, ...optionsOf(request, model, isHeld, visit), hooks: [...visit.hooks, meter.hooks] };
    const generation = checked(() => begin(visit.engine, request, all));
    const ignored = [...request.ignored, ...left];
    if (streams) return stream(generation, ignored, isHeld, form.writer(), { visit, meter });
    const result = await generation;
    meter.end(result);
    return json(200, form.whole(result), ignoredHeader(ignored));
  });
}

function begin(engine: Visit["engine"], { messages, input }: CallRequest, options: GenerateOptions): Generation {
  if (input === undefined) return engine.generate(messages, options);
  return "prompt" in input
    ? engine.generate(input.prompt, { ...options, raw: true })
    : engine.infill({ ...(options as InfillOptions), ...input });
}

function optionsOf(
  { user }: CallRequest,
  model: string | undefined,
  isHeld: boolean,
  visit: Visit,
): Pick<GenerateOptions, "model" | "stream" | "tags" | "signal"> {
  const key = visit.caller.name;
  const tags = { request: visit.id, ...(key !== undefined && { key }), ...(user !== undefined && { user }) };
  return {
    ...(model !== undefined && { model }),
    ...(isHeld && { stream: "held" }),
    tags,
    signal: visit.signal,
  };
}

/**
 * The status goes out with the first text, or after a while without one, so that early errors have their own status.
 */
async function stream(
  generation: Generation,
  ignored: readonly string[],
  isHeld: boolean,
  writer: AnswerWriter,
  { visit, meter }: { readonly visit: Visit; readonly meter: Meter },
): Promise<Answer> {
  const texts = new CallStream(writer, { id: visit.id, isHeld, onError: (error) => visit.fail(error) });
  const events: AsyncIterator<GenerateEvent> = generation[Symbol.asyncIterator]();
  const due = performance.now() + visit.keepAliveMs;
  let next = events.next();
  for (;;) {
    const got = await soon(next, due - performance.now());
    if (got === undefined || got.done === true) break;
    const event = got.value;
    if (event.type === "end") countEnd(event.result, visit, meter);
    if (event.type !== "start" && event.type !== "promptProgress") break;
    texts.event(event);
    next = events.next();
  }
  const settle = (): Promise<void> =>
    generation.then(
      (result) => meter.end(result),
      () => undefined,
    );
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    ...(isHeld && { "llama-hooks-stream": "held" }),
    ...ignoredHeader(ignored),
  };
  const body = new EventStream(events, next, texts, { settle, keepAliveMs: visit.keepAliveMs });
  return { status: 200, headers, body };
}

/** Errors: those of an answer that ended before it began. */
function countEnd(result: Awaited<Generation>, visit: Visit, meter: Meter): void {
  try {
    finishOf(result, visit.id);
  } catch (error) {
    meter.end(result);
    throw error;
  }
}
