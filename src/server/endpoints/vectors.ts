// POST /v1/embeddings and POST /v1/rerank
import { LlamaHooksError } from "../../index.js";
import { badRequest, checked, checkedCall } from "../http/api-error.js";
import { type Answer, json } from "../http/exchange.js";
import { embeddingsAnswerOf, type EmbeddingsRequest, embeddingsRequestOf } from "../openai/embeddings.js";
import { checkInputs } from "../protocol/amounts.js";
import { ignoredHeader } from "../protocol/members.js";
import { rerankAnswerOf, rerankRequestOf } from "../openai/rerank.js";
import type { Visit } from "./visit.js";

/** Answers a request for embeddings. */
export async function embeddings(visit: Visit): Promise<Answer> {
  const request = checked(() => embeddingsRequestOf(visit.body));
  checkInputs(request.inputs, visit.amounts, "input");
  const model = visit.models.idOf(request.model);
  const options = { ...request.options, ...(model !== undefined && { model }), signal: visit.signal };
  const texts = await textsOf(visit, request.inputs, model);
  visit.reserve(texts);
  const result = await checkedCall(() => visit.engine.embed(texts, options));
  spendRead(
    visit,
    result.modelId,
    result.tokens.reduce((sum, one) => sum + one, 0),
  );
  const { dimensions: asked = result.dimensions } = request;
  if (asked > result.dimensions) {
    const message = `dimensions must be at most ${result.dimensions}, which vectors of this model have`;
    throw badRequest(message, "dimensions", "unsupported");
  }
  const isNormal = request.options.normalize !== false;
  const vectors = result.embeddings.map((vector) => shortened(vector, asked, isNormal));
  return json(
    200,
    embeddingsAnswerOf({ ...result, embeddings: vectors }, request.isBase64),
    ignoredHeader(request.ignored),
  );
}

/** The first numbers of a vector; `isNormal`: with the length 1 again. */
function shortened(vector: Float32Array, dimensions: number, isNormal: boolean): Float32Array {
  if (vector.length === dimensions) return vector;
  const first = vector.slice(0, dimensions);
  const length = Math.hypot(...first);
  return isNormal && length > 0 ? first.map((number) => number / length) : first;
}

/**
 * The texts that tokens stand for. Errors: 400 for tokens that no text of this model has: clients that count with the
 * vocabulary of another model would get vectors of nonsense.
 */
async function textsOf(
  { engine }: Visit,
  inputs: EmbeddingsRequest["inputs"],
  model: string | undefined,
): Promise<readonly string[]> {
  const chosen = model === undefined ? {} : { model };
  const textOf = async (input: string | readonly number[], index: number): Promise<string> => {
    if (typeof input === "string") return input;
    const text = await engine.detokenize(input, chosen).catch((error: unknown) => {
      if (error instanceof TypeError) return "";
      if (error instanceof LlamaHooksError && error.code === "INVALID_ARGUMENT") return ""; // no token of the model
      throw error;
    });
    const back = text === "" ? [] : await engine.tokenize(text, chosen);
    if (back.length === input.length && back.every((token, place) => token === input[place])) return text;
    throw badRequest(
      "These tokens are not those of a text for this model: send texts",
      `input[${index}]`,
      "unsupported",
    );
  };
  return Promise.all(inputs.map(textOf));
}

/** Answers a request for a ranking. */
export async function rerank(visit: Visit): Promise<Answer> {
  const request = checked(() => rerankRequestOf(visit.body));
  checkInputs(request.documents, visit.amounts, "documents");
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
