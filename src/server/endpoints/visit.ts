// One request that was let in, as the endpoints see it.
import type { Engine, HookSets } from "../../index.js";
import type { ApiError } from "../http/api-error.js";
import type { Caller } from "../http/callers.js";
import type { Answer } from "../http/exchange.js";
import type { MemberNames } from "../http/failure.js";
import type { Amounts } from "../protocol/amounts.js";
import type { SessionBook } from "../sessions/session-book.js";
import type { Cost, Metrics } from "./metrics.js";
import type { ModelNames } from "./model-names.js";

/** A request and the resources that it may use. */
export interface Visit {
  readonly engine: Engine;
  readonly models: ModelNames;
  readonly metrics: Metrics;
  /** Id of the request, which its answer and the log have, too. */
  readonly id: string;
  /** The path's texts in the places of `{}` and `{...}`. */
  readonly names: readonly string[];
  /** The body; empty for GET and DELETE. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The sessions; undefined: the server has none. */
  readonly sessions: SessionBook | undefined;
  readonly caller: Caller;
  /** Hooks of the server and of the key. */
  readonly hooks: HookSets;
  /** Aborts when the client is gone, or the server ends. */
  readonly signal: AbortSignal;
  /** The limits of one request. */
  readonly amounts: Amounts;
  /** Milliseconds without an event after which a stream gets a comment. */
  readonly keepAliveMs: number;
  /**
   * Sets tokens of the key's budget aside until the request has ended: an estimate for the texts, and the maximum
   * number of tokens in the answer, if the request has one. Errors: 429 if concurrent requests have left none.
   */
  reserve(texts: readonly string[], maxTokens?: number): void;
  /** Counts the tokens of a call. */
  spend(modelId: string, cost: Cost): void;
  /** Notes the error that ended a stream, for the log. */
  fail(error: unknown): void;
}

/** A path that the server answers. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path; `{}` matches one part of it, `{...}` its rest. */
  readonly path: string;
  /** True: it needs no key, and says nothing that is worth one. */
  readonly isOpen?: boolean;
  /**
   * True: it ends or releases work that is under way. It needs no place among the requests at once and no tokens,
   * because the work that waits for it may have the last of them; and it is let in while the server closes.
   */
  readonly isControl?: boolean;
  answer(visit: Visit): Answer | Promise<Answer>;
  /** Names of members where they are not those of chat completions, by the engine's. */
  readonly members?: MemberNames;
  /** The JSON of an error, where the protocol's form is not OpenAI's. */
  errorOf?(error: ApiError, requestId: string): object;
}
