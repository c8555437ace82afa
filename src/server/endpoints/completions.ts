// POST /v1/completions and POST /infill
import { checked } from "../http/api-error.js";
import type { Answer } from "../http/exchange.js";
import type { AnswerHead } from "../openai/chat-answer.js";
import { CompletionChunks, completionOf } from "../openai/completion-answer.js";
import { type CompletionRequest, completionRequestOf, infillRequestOf } from "../openai/completion-request.js";
import { answerCall } from "./call.js";
import type { Visit } from "./visit.js";

/** Continues a text, which no chat template touches, or fills the gap before a suffix. */
export function completions(visit: Visit): Promise<Answer> {
  return answered(
    visit,
    checked(() => completionRequestOf(visit.body)),
  );
}

/** Fills the gap of a text, in the form of llama-server. */
export function infill(visit: Visit): Promise<Answer> {
  return answered(
    visit,
    checked(() => infillRequestOf(visit.body)),
  );
}

function answered(visit: Visit, request: CompletionRequest): Promise<Answer> {
  const { includesUsage, isRead, model = "" } = request;
  const head: AnswerHead = { id: visit.id, created: Math.floor(Date.now() / 1000) };
  return answerCall(visit, request, {
    whole: (result) => completionOf(isRead ? { ...result, text: "" } : result, head),
    writer: () => new CompletionChunks({ ...head, model, includesUsage, isRead }),
  });
}
