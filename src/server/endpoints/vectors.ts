// POST /v1/embeddings and POST /v1/rerank
import { badRequest, checked, checkedCall } from "../http/api-error.js";
import { type Answer, json } from "../http/exchange.js";
import { embeddingsAnswerOf, embeddingsRequestOf } from "../openai/embeddings.js";
import { ignoredHeader } from "../protocol/members.js";
import { rerankAnswerOf, rerankRequestOf } from "../openai/rerank.js";
import type { Visit } from "./visit.js";

/** Answers a request for embeddings. */
export async function embeddings(visit: Visit): Promise<Answer> {
  const request = checked(() => embeddingsRequestOf(visit.body));
  const model = visit.models.idOf(request.model);
  const options = { ...request.options, ...(model !== undefined && { model }), signal: visit.signal };
  visit.reserve(request.texts);
  const result = await checkedCall(() => visit.engine.embed(request.texts, options));
  spendRead(
    visit,
    result.modelId,
    result.tokens.reduce((sum, one) => sum + one, 0),
  );
  const { dimensions: asked = result.dimensions } = request;
  if (asked !== result.dimensions) {
    const message = `dimensions must be ${result.dimensions}: vectors of this model are not shortened`;
    throw badRequest(message, "dimensions", "unsupported");
  }
  return json(200, embeddingsAnswerOf(result, request.isBase64), ignoredHeader(request.ignored));
}

/** Answers a request for a ranking. */
export async function rerank(visit: Visit): Promise<Answer> {
  const request = checked(() => rerankRequestOf(visit.body));
  const model = visit.models.idOf(request.model);
  const options = { ...request.options, ...(model !== undefined && { model }), signal: visit.signal };
  visit.reserve([...request.documents, ...request.documents.map(() => request.query)]);
  const result = await checkedCall(() => visit.engine.rerank(request.query, request.documents, options));
  spendRead(visit, result.modelId, result.tokens);
  return json(200, rerankAnswerOf(result, request), ignoredHeader(request.ignored));
}

function spendRead(visit: Visit, modelId: string, promptTokens: number): void {
  visit.spend(modelId, { promptTokens, cachedTokens: 0, completionTokens: 0 });
}
