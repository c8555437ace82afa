// Hints in a request, by which the router of a fleet finds the server that has the beginning of its prompt.
import { isObject, wrong } from "../base/check.js";
import type { OwnRequest } from "./own-request.js";
import { secretValues, type SecretValues } from "./secret-members.js";

/** A request, as an affinity sees it. */
export interface AffinityRequest {
  /** Id of the model here. */
  readonly modelId: string;
  /** Id of the run; outside a run, of the call. */
  readonly runId: string;
  /**
   * Id of the conversation whose beginning the request repeats: that of the session; a delegated conversation has
   * another id. Undefined for a call of `generate()`, a summary and a critic, because they repeat no beginning.
   */
  readonly conversation: string | undefined;
  /** Messages of the model in the prompt: after a compaction less than the conversation has had. */
  readonly turn: number;
  /** Attempts at this answer before this one. */
  readonly attempt: number;
  /** Priority of the run: the lowest comes first. */
  readonly priority: number;
}

/** Headers and members of the body that are sent with a request. */
export interface AffinityHints {
  /** Headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Members of the request's body, beside those that the model's options give: with an address in `remote()`. A
   * provider package gets them as its `providerOptions`, and knows which it sends.
   */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Gives the hints of a request, so that its conversation comes back to the same server. */
export type Affinity = (request: AffinityRequest) => AffinityHints;

const ofConversation =
  (hints: (conversation: string, request: AffinityRequest) => AffinityHints): Affinity =>
  (request) =>
    request.conversation === undefined ? {} : hints(request.conversation, request);

const header = (name: string): Affinity => ofConversation((conversation) => ({ headers: { [name]: conversation } }));

/**
 * Affinities for routers and servers, after their documents. Each sends the id of the conversation in its own way, and
 * nothing for calls that belong to no conversation.
 *
 * @example
 * ```ts
 * remote("http://router:8000/v1", { model: "m", affinity: affinity.vllmRouter });
 * remote("http://router:8000/v1", { model: "m", affinity: affinity.header("x-user-id") });
 * ```
 */
export const affinity = {
  /** A header of that name: for the session router of vLLM production-stack, whose operator names it. */
  header,
  /** The header `X-Session-ID`: for the consistent-hash policy of vLLM router. */
  vllmRouter: header("X-Session-ID"),
  /** `rid` in the body, `<conversation>_t<turn>_r<attempt>`: for the gateway of SGLang. */
  sglang: ofConversation((conversation, { turn, attempt }) => ({
    body: { rid: `${conversation}_t${turn}_r${attempt}` },
  })),
  /** The header `x-session-affinity`, as opencode sends it. */
  sessionAffinity: header("x-session-affinity"),
  /** `prompt_cache_key` in the body: for OpenAI, by its address in `remote()`. */
  promptCacheKey: ofConversation((conversation) => ({ body: { prompt_cache_key: conversation } })),
} as const;

/** Values of the hints' headers, which may be keys. Ids of the request are not keys. */
export function secretsOf({ headers = {} }: AffinityHints, request: OwnRequest): SecretValues {
  const ids = [request.conversation, request.run_id, request.session_id, request.model_id];
  return secretValues(Object.entries(headers).filter(([, value]) => !ids.includes(value)));
}

/** The hints for one attempt. Errors: `TypeError` for hints of another form. */
export function hintsFor(tell: Affinity, request: OwnRequest, attempt: number): AffinityHints {
  const hints: unknown = tell({
    modelId: request.model_id,
    runId: request.run_id,
    conversation: request.conversation ?? undefined,
    turn: request.messages.filter(({ role }) => role === "assistant").length,
    attempt,
    priority: request.priority,
  });
  if (!isObject(hints)) throw wrong("What affinity() returns", "an object { headers, body }", hints);
  const { headers = {}, body = {} } = hints;
  if (!isObject(headers) || Object.values(headers).some((value) => typeof value !== "string"))
    throw wrong("The headers of affinity()", "texts by name", headers);
  if (!isObject(body)) throw wrong("The body of affinity()", "an object", body);
  return { headers: headers as Record<string, string>, body };
}
