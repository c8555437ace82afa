// POST /v1/chat/completions
import { checked } from "../http/api-error.js";
import type { Answer } from "../http/exchange.js";
import { type AnswerHead, chatCompletionOf } from "../openai/chat-answer.js";
import { ChatChunks } from "../openai/chat-chunks.js";
import { chatRequestOf } from "../openai/chat-request.js";
import { answerCall } from "./call.js";
import type { Visit } from "./visit.js";

/** Answers a request for a chat completion. */
export function chat(visit: Visit): Promise<Answer> {
  const request = checked(() => chatRequestOf(visit.body));
  const { includesUsage, model = "" } = request;
  const head: AnswerHead = { id: visit.id, created: Math.floor(Date.now() / 1000) };
  return answerCall(visit, request, {
    whole: (result) => chatCompletionOf(result, head),
    writer: () => new ChatChunks({ ...head, model, includesUsage }),
  });
}
