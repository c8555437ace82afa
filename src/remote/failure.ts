// The failures of remote models, as codes of this package.
// Must not: show a key, or how a request authenticates itself.
import { LlamaHooksError } from "../base/errors.js";
import { errorNumbers } from "../generated/errors.js";

/** A code that the engine knows. */
type NumberedCode = keyof typeof errorNumbers;

/** Milliseconds that a server may ask to wait: a longer wait is the caller's to decide. */
const mostWaitMs = 60_000;
/** Characters of a server's words that an error shows. */
const mostWords = 2000;

/** A failure of one attempt. */
export class RemoteFailure extends Error {
  override readonly name = "RemoteFailure";
  readonly code: NumberedCode;
  /** True: another attempt may succeed. */
  readonly isTransient: boolean;
  /** Milliseconds that the server asks to wait before the next attempt. */
  readonly waitMs: number;

  constructor(code: NumberedCode, message: string, { isTransient = false, waitMs = 0, cause }: FailureFacts = {}) {
    super(message, { cause });
    this.code = code;
    this.isTransient = isTransient;
    this.waitMs = waitMs;
  }
}

interface FailureFacts {
  readonly isTransient?: boolean;
  readonly waitMs?: number;
  readonly cause?: unknown;
}

/** The parts of an AI SDK APICallError. */
interface HttpError {
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/** The error texts of OpenAI, llama-server and vLLM. */
const tooLong = /context_length_exceeded|exceed_context_size|maximum context length|prompt is too long/i;

const busy = new Set([408, 409, 425, 429]);

/**
 * Describes an error that a provider threw. `begun`: a piece of the answer had arrived. `clean` removes the keys from a
 * text.
 */
export function failureOf(thrown: unknown, begun: boolean, clean: (text: string) => string): RemoteFailure {
  if (thrown instanceof RemoteFailure) return thrown;
  // The provider uses this package itself.
  if (thrown instanceof LlamaHooksError && Object.hasOwn(errorNumbers, thrown.code))
    return new RemoteFailure(thrown.code as NumberedCode, thrown.message, { cause: thrown });
  const { statusCode, responseBody, responseHeaders } = (thrown ?? {}) as HttpError;
  if (typeof statusCode === "number" && statusCode !== 200) {
    const words = typeof responseBody === "string" && responseBody !== "" ? `: ${shortened(clean(responseBody))}` : "";
    const failed = statusCode >= 500;
    const waitMs = retryAfter(responseHeaders) ?? 0;
    const refused = tooLong.test(words) ? "PROMPT_TOO_LONG" : "REMOTE_REFUSED";
    return new RemoteFailure(
      failed ? "REMOTE_FAILED" : refused,
      `${isRedirect(statusCode) ? "the server sends the request to another address" : "the server answered"} ` +
        `(status ${statusCode})${words}`,
      {
        isTransient: (failed || busy.has(statusCode)) && waitMs <= mostWaitMs,
        waitMs,
        cause: thrown,
      },
    );
  }
  const words = shortened(clean(wordsOf(thrown)));
  if (begun) return new RemoteFailure("REMOTE_FAILED", `the answer broke off: ${words}`, { cause: thrown });
  if (isNetwork(thrown)) return new RemoteFailure("REMOTE_UNREACHABLE", words, { isTransient: true, cause: thrown });
  return new RemoteFailure("REMOTE_FAILED", words, { cause: thrown });
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** The message of an error with those of its causes, which name the failure of the network. */
function wordsOf(thrown: unknown): string {
  const words: string[] = [];
  for (let at = thrown, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    const message = at instanceof Error ? at.message : typeof at === "string" ? at : jsonOf(at);
    if (message !== "" && !words.some((known) => known.includes(message))) words.push(message);
    at = at instanceof Error ? at.cause : undefined;
  }
  return words.join(": ") || "it gave no reason";
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return ""; // circular
  }
}

function isNetwork(thrown: unknown): boolean {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === "string" && /^(E[A-Z]+|UND_ERR_.*|ERR_TLS_.*|CERT_.*|DEPTH_.*|SELF_SIGNED.*)$/.test(code))
      return true;
    if (at instanceof TypeError && at.message === "fetch failed") return true;
  }
  return false;
}

function shortened(text: string): string {
  const clean = text.replaceAll(/\p{Cc}/gu, (char) => (char === "\n" || char === "\t" ? char : "\ufffd")).trim();
  return clean.length <= mostWords ? clean : `${clean.slice(0, mostWords)} [${clean.length - mostWords} more]`;
}

/** The wait that a server asks for: seconds, or a date. */
function retryAfter(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const text = headers?.["retry-after"];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
