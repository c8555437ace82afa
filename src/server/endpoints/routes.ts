// The endpoints, and which of them a path means.
import { messageErrorOf } from "../anthropic/message-answer.js";
import { ApiError } from "../http/api-error.js";
import { responseErrorOf } from "../responses/response-answer.js";
import { chat } from "./chat.js";
import { health, showMetrics } from "./health.js";
import { countTokens, messages } from "./messages.js";
import { listModels, oneModel } from "./models.js";
import { responses } from "./responses.js";
import { embeddings, rerank } from "./vectors.js";
import type { Endpoint } from "./visit.js";

const endpoints: readonly Endpoint[] = [
  { method: "POST", path: "/v1/chat/completions", answer: chat },
  { method: "POST", path: "/v1/messages", answer: messages, errorOf: messageErrorOf },
  { method: "POST", path: "/v1/messages/count_tokens", answer: countTokens, errorOf: messageErrorOf },
  { method: "POST", path: "/v1/responses", answer: responses, errorOf: responseErrorOf },
  { method: "POST", path: "/v1/embeddings", answer: embeddings },
  { method: "POST", path: "/v1/rerank", answer: rerank },
  { method: "GET", path: "/v1/models", answer: listModels },
  { method: "GET", path: "/v1/models/{id}", answer: oneModel },
  { method: "GET", path: "/metrics", answer: showMetrics },
  { method: "GET", path: "/health", isOpen: true, answer: health },
];

/** The endpoint of a request. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly name: string;
}

/** The first endpoint at a path, whatever its method; undefined: there is none. */
export function endpointAt(path: string): Endpoint | undefined {
  return endpoints.find((endpoint) => nameIn(endpoint.path, path) !== undefined);
}

/** Errors: 404; 405 for a path that takes another method. */
export function routeOf(method: string, path: string): Route {
  const found = endpoints.flatMap((endpoint) => {
    const name = nameIn(endpoint.path, path);
    return name === undefined ? [] : [{ endpoint, name }];
  });
  const [first] = found;
  if (first === undefined) throw new ApiError(404, "There is nothing at this path", { code: "not_found" });
  const fit = found.find(({ endpoint }) => endpoint.method === method);
  if (fit !== undefined) return fit;
  const allow = first.endpoint.method;
  throw new ApiError(405, `This path takes ${allow} only`, { code: "method_not_allowed", headers: { allow } });
}

/** The path's text for `{id}`, empty if the pattern has none; undefined: it does not fit. */
function nameIn(pattern: string, path: string): string | undefined {
  if (!pattern.endsWith("{id}")) return pattern === path ? "" : undefined;
  const start = pattern.slice(0, -"{id}".length);
  if (!path.startsWith(start) || path.length === start.length) return undefined;
  try {
    return decodeURIComponent(path.slice(start.length)); // ids may contain a slash, escaped or not
  } catch {
    return undefined;
  }
}
