// POST /v1/messages and POST /v1/messages/count_tokens
import { MessageEvents } from "../anthropic/message-events.js";
import { messageOf } from "../anthropic/message-answer.js";
import { messageRequestOf } from "../anthropic/message-request.js";
import { checked, checkedCall } from "../http/api-error.js";
import { type Answer, json } from "../http/exchange.js";
import { ignoredHeader } from "../protocol/members.js";
import { checkCall } from "../protocol/amounts.js";
import { answerCall } from "./call.js";
import { fittedTo } from "./fitting.js";
import type { Visit } from "./visit.js";

/** Answers a request for a message. */
export function messages(visit: Visit): Promise<Answer> {
  const { id } = visit;
  const request = checked(() => messageRequestOf(visit.body));
  return answerCall(visit, request, {
    whole: (result) => messageOf(result, id),
    writer: () => new MessageEvents(id, request.model ?? ""),
  });
}

/** Counts the tokens of the prompt that a request for a message becomes, before hooks change it. */
export async function countTokens({ engine, models, body, amounts, signal }: Visit): Promise<Answer> {
  const request = checked(() => messageRequestOf(body));
  checkCall(request, amounts, "messages");
  const model = models.idOf(request.model);
  const { options, left } = fittedTo(engine, model, request);
  const { tools, toolChoice, reasoning, continueFinalMessage, chatTemplateArgs } = options;
  const prompt = {
    messages: request.messages,
    signal,
    ...(tools !== undefined && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(reasoning !== undefined && { reasoning }),
    ...(continueFinalMessage !== undefined && { continueFinalMessage }),
    ...(chatTemplateArgs !== undefined && { chatTemplateArgs }),
  };
  const text = await checkedCall(() => engine.models.renderPrompt(model, prompt));
  const ignored = ignoredHeader([...request.ignored, ...left]);
  // A remote model has no tokenizer here: four bytes count as a token, as in `estimateTokens()`.
  if (engine.models.providedBy(model) !== undefined)
    return json(200, { input_tokens: Math.ceil(Buffer.byteLength(text) / 4) }, ignored);
  const tokens = await engine.tokenize(text, { parseSpecial: true, signal, ...(model !== undefined && { model }) });
  return json(200, { input_tokens: tokens.length }, ignored);
}
