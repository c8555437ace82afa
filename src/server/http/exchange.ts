// A request and its answer, independent of the server that carries them: node:http or fetch.

/** One request. */
export interface Exchange {
  readonly method: string;
  /** The path, without a query. */
  readonly path: string;
  /** The value of a header; `name` is in lower case. */
  header(name: string): string | undefined;
  /** The body, piece by piece. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** The body of an answer that comes bit by bit. Who carries it must read it to its end, or stop it. */
export interface Pieces {
  /** The next text to write; undefined: that was all. Called again only after the text before has been taken. */
  next(): Promise<string | undefined>;
  /** Cancels the work that writes this body, because the client does not read it any more. A second call is a no-op. */
  stop(): void;
  /** Resolves when the body is at its end, or was stopped, and its work has ended. Never rejects. */
  readonly ended: Promise<void>;
}

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Pieces;
  /** True: the connection ends with this answer, because the request was not read to its end. */
  readonly closes?: boolean;
}

/** An answer in JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}
