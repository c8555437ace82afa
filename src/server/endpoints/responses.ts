// POST /v1/responses
import { checked } from "../http/api-error.js";
import type { Answer } from "../http/exchange.js";
import { type ResponseHead, responseOf } from "../responses/response-answer.js";
import { recentItemsOf } from "../responses/recent-items.js";
import { ResponseEvents } from "../responses/response-events.js";
import { responseRequestOf } from "../responses/response-request.js";
import { answerCall } from "./call.js";
import type { Visit } from "./visit.js";

/** Answers a request for a response. */
export function responses(visit: Visit): Promise<Answer> {
  const items = recentItemsOf(visit.caller);
  const request = checked(() => responseRequestOf(visit.body, (id) => items.find(id)));
  const { model = "", echo, names, form, isKept } = request;
  const head: ResponseHead = {
    id: visit.id,
    created: Math.floor(Date.now() / 1000),
    echo,
    names,
    form,
    ended: (output) => isKept && items.keep(output),
  };
  return answerCall(visit, request, {
    whole: (result) => responseOf(result, head),
    writer: () => new ResponseEvents(head, model),
  });
}
