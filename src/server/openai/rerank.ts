// Requests for a ranking in the form that Jina and Cohere share, and their answers.
import { isObject, optionalBoolean, optionalName, optionError, wrong } from "../../base/check.js";
import { checkParameters } from "../../base/check-parameters.js";
import { rerankChecks } from "../../generated/parameters.js";
import type { RerankOptions, RerankResult } from "../../index.js";
import { ignoredOf, withoutNulls } from "../protocol/members.js";
import { readUsageOf } from "./usage.js";

/** A request for a ranking. */
export interface RerankRequest {
  readonly model: string | undefined;
  readonly query: string;
  readonly documents: readonly string[];
  readonly options: RerankOptions;
  readonly returnsDocuments: boolean;
  readonly ignored: readonly string[];
}

const { topN, normalize } = rerankChecks;
const known = ["model", "query", "documents", "top_n", "return_documents", "normalize", "user"];

/** Errors: `TypeError` with `param`. */
export function rerankRequestOf(given: Readonly<Record<string, unknown>>): RerankRequest {
  const body = withoutNulls(given);
  const { query, documents } = body;
  if (typeof query !== "string") throw wrong("query", "a string", query);
  if (!Array.isArray(documents)) throw wrong("documents", "an array of texts", documents);
  if (documents.length === 0) throw optionError("documents", "documents must not be empty");
  const { top_n: most, normalize: scaled } = checkParameters({ top_n: topN, normalize }, body, "");
  return {
    model: optionalName(body["model"], "model"),
    query,
    documents: documents.map((one: unknown, index) => documentOf(one, `documents[${index}]`)),
    options: {
      ...(most !== undefined && { topN: most }),
      ...(scaled !== undefined && { normalize: scaled }),
    } as RerankOptions,
    returnsDocuments: optionalBoolean(body["return_documents"], "return_documents") ?? false,
    ignored: ignoredOf(body, known),
  };
}

function documentOf(value: unknown, at: string): string {
  const text = isObject(value) ? value["text"] : value;
  if (typeof text !== "string") throw wrong(at, "a text, or an object with a text", value);
  return text;
}

/** The answer. */
export function rerankAnswerOf({ results, modelId, tokens }: RerankResult, request: RerankRequest): object {
  return {
    object: "list",
    model: modelId,
    results: results.map(({ index, relevanceScore }) => ({
      index,
      relevance_score: relevanceScore,
      ...(request.returnsDocuments && { document: { text: request.documents[index] } }),
    })),
    usage: readUsageOf(tokens),
  };
}
