// The endpoints, and which of them a path means.
import { messageErrorOf } from "../anthropic/message-answer.js";
import { ApiError } from "../http/api-error.js";
import { responseErrorOf } from "../responses/response-answer.js";
import { chat } from "./chat.js";
import { completions, infill } from "./completions.js";
import { health, showMetrics } from "./health.js";
import { countTokens, messages } from "./messages.js";
import { listModels, oneModel } from "./models.js";
import { meantAt, nothingHere } from "./nothing-here.js";
import { responses } from "./responses.js";
import { runSession } from "./session-runs.js";
import {
  answerQuestion,
  cancelRun,
  deleteSession,
  forkSession,
  listQuestions,
  listSessions,
  openSession,
  showHistory,
  showSession,
} from "./sessions.js";
import { embeddings, rerank } from "./vectors.js";
import type { Endpoint } from "./visit.js";

const ofText = { messages: "prompt" };
const ofMessages = { json_schema: "output_config.format" };

const endpoints: readonly Endpoint[] = [
  { method: "POST", path: "/v1/chat/completions", answer: chat },
  { method: "POST", path: "/v1/completions", answer: completions, members: ofText },
  { method: "POST", path: "/infill", answer: infill, members: ofText },
  { method: "POST", path: "/v1/messages", answer: messages, errorOf: messageErrorOf, members: ofMessages },
  { method: "POST", path: "/v1/messages/count_tokens", answer: countTokens, errorOf: messageErrorOf },
  { method: "POST", path: "/v1/responses", answer: responses, errorOf: responseErrorOf },
  { method: "POST", path: "/v1/embeddings", answer: embeddings },
  { method: "POST", path: "/v1/rerank", answer: rerank },
  { method: "GET", path: "/v1/models", answer: listModels },
  { method: "GET", path: "/v1/models/{...}", answer: oneModel },
  { method: "POST", path: "/sessions", answer: openSession },
  { method: "GET", path: "/sessions", answer: listSessions },
  { method: "GET", path: "/sessions/{}", answer: showSession },
  { method: "DELETE", path: "/sessions/{}", answer: deleteSession },
  { method: "GET", path: "/sessions/{}/history", answer: showHistory },
  { method: "POST", path: "/sessions/{}/runs", answer: runSession },
  { method: "POST", path: "/sessions/{}/fork", answer: forkSession },
  { method: "POST", path: "/sessions/{}/cancel", isControl: true, answer: cancelRun },
  { method: "GET", path: "/sessions/{}/questions", answer: listQuestions },
  { method: "POST", path: "/sessions/{}/questions/{}", isControl: true, answer: answerQuestion },
  { method: "GET", path: "/metrics", answer: showMetrics },
  { method: "GET", path: "/health", isOpen: true, answer: health },
];

/** Each path as an expression: `{}` is one part of it, `{...}` its rest. */
const expressions = new Map(
  endpoints.map(({ path }) => {
    const source = path.replaceAll(".", "\\.").replace("{\\.\\.\\.}", "(.+)").replaceAll("{}", "([^/]+)");
    return [path, new RegExp(`^${source}$`)] as const;
  }),
);

/** The endpoint of a request. */
export interface Route {
  readonly endpoint: Endpoint;
  /** The path's texts for `{}` and `{...}`. */
  readonly names: readonly string[];
}

/** The first endpoint at a path, whatever its method; undefined: there is none. */
export function endpointAt(path: string): Endpoint | undefined {
  return endpoints.find((endpoint) => namesIn(endpoint.path, path) !== undefined);
}

/** `host`: the Host header. Errors: 404, with the path that may be meant; 405 for a path that takes other methods. */
export function routeOf(method: string, path: string, host: string | undefined): Route {
  const found = endpoints.flatMap((endpoint) => {
    const names = namesIn(endpoint.path, path);
    return names === undefined ? [] : [{ endpoint, names }];
  });
  if (found.length === 0)
    throw nothingHere(
      path,
      meantAt(path, (one) => endpointAt(one) !== undefined),
      host,
    );
  const fit = found.find(({ endpoint }) => endpoint.method === method);
  if (fit !== undefined) return fit;
  const allow = found.map(({ endpoint }) => endpoint.method).join(", ");
  throw new ApiError(405, `This path takes ${allow} only`, { code: "method_not_allowed", headers: { allow } });
}

/** The path's texts for the gaps of a pattern; undefined: it does not fit. */
function namesIn(pattern: string, path: string): readonly string[] | undefined {
  const found = expressions.get(pattern)?.exec(path);
  try {
    return found?.slice(1).map((text) => decodeURIComponent(text)); // ids of models may contain a slash, escaped or not
  } catch {
    return undefined;
  }
}
