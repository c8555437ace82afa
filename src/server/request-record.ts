// The record of a request for a log. Must not: hold a body or a key.

/** One request and its end, for a log. It has no texts of the request or the answer, and no key. */
export interface RequestRecord {
  /** The time at which the request arrived, as an ISO 8601 date. */
  readonly time: string;
  /** Id of the request, which the answer has as `x-request-id` and calls as the tag `request`. */
  readonly id: string;
  /** Name of the key; null: none was given, or none is needed. */
  readonly key: string | null;
  /** The method. */
  readonly method: string;
  /** The path, without a query. */
  readonly path: string;
  /** The status of the answer. */
  readonly status: number;
  /** Milliseconds from the request to the end of its answer. */
  readonly ms: number;
  /** Tokens of prompts that were read. */
  readonly promptTokens: number;
  /** Tokens that were generated. */
  readonly completionTokens: number;
  /** True: the client left before the end, or the server ended first. */
  readonly cancelled: boolean;
  /** The error behind the answer, of which clients get only the code. Absent without an error. */
  readonly error?: unknown;
}
