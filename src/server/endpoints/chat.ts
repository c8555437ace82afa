// POST /v1/chat/completions
import type { GenerateEvent, GenerateOptions, Generation } from "../../index.js";
import { checked } from "../http/api-error.js";
import { EventStream, soon } from "../http/event-stream.js";
import { type Answer, json } from "../http/exchange.js";
import { type AnswerHead, chatCompletionOf, finishOf } from "../openai/chat-answer.js";
import { ChatChunks } from "../openai/chat-chunks.js";
import { type ChatRequest, chatRequestOf } from "../openai/chat-request.js";
import { ignoredHeader } from "../openai/members.js";
import { mustHold } from "./held.js";
import type { Visit } from "./visit.js";

/** Answers a request for a chat completion. */
export async function chat(visit: Visit): Promise<Answer> {
  const request = checked(() => chatRequestOf(visit.body));
  const isHeld = request.streams && mustHold(visit.engine, visit.hooks, request.options.tools !== undefined);
  const generation = checked(() => visit.engine.generate(request.messages, optionsOf(request, isHeld, visit)));
  const head: AnswerHead = { id: visit.id, created: Math.floor(Date.now() / 1000) };
  if (request.streams) return stream(generation, request, isHeld, head, visit);
  const result = await generation;
  visit.spend(result.modelId, result.usage);
  return json(200, chatCompletionOf(result, head), ignoredHeader(request.ignored));
}

function optionsOf({ model: name, options, user }: ChatRequest, isHeld: boolean, visit: Visit): GenerateOptions {
  const model = visit.models.idOf(name);
  const key = visit.caller.name;
  const tags = { request: visit.id, ...(key !== undefined && { key }), ...(user !== undefined && { user }) };
  return {
    ...options,
    ...(model !== undefined && { model }),
    ...(isHeld && { stream: "held" }),
    hooks: visit.hooks,
    tags,
    signal: visit.signal,
  };
}

/** The status goes out with the first text, or after a while without one, so that early errors have their own status. */
async function stream(
  generation: Generation,
  request: ChatRequest,
  isHeld: boolean,
  head: AnswerHead,
  visit: Visit,
): Promise<Answer> {
  const events: AsyncIterator<GenerateEvent> = generation[Symbol.asyncIterator]();
  const { includesUsage, model = "" } = request;
  const texts = new ChatChunks({ ...head, model, includesUsage, isHeld, onError: (error) => visit.fail(error) });
  let next = events.next();
  for (;;) {
    const got = await soon(next, visit.keepAliveMs);
    if (got === undefined || got.done === true) break;
    const event = got.value;
    if (event.type === "end") countEnd(event.result, visit);
    if (event.type !== "start" && event.type !== "promptProgress") break;
    texts.event(event);
    next = events.next();
  }
  const settle = (): Promise<void> =>
    generation.then(
      ({ modelId, usage }) => visit.spend(modelId, usage),
      () => undefined,
    );
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    ...(isHeld && { "llama-hooks-stream": "held" }),
    ...ignoredHeader(request.ignored),
  };
  return {
    status: 200,
    headers,
    body: new EventStream(events, next, texts, { settle, keepAliveMs: visit.keepAliveMs }),
  };
}

/** Errors: those of an answer that ended before it began. */
function countEnd(result: Awaited<Generation>, visit: Visit): void {
  try {
    finishOf(result, visit.id);
  } catch (error) {
    visit.spend(result.modelId, result.usage);
    throw error;
  }
}
