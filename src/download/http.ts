// Sends one request to a server, and describes the faults of an answer.
import type { LlamaHooksError } from "../base/errors.js";
import { downloadFailed } from "./download-failed.js";

/** The hub's address and access token, and which servers may be asked. */
export interface Access {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly token: string | undefined;
  /** True: plain HTTP is allowed for servers that are not this machine. */
  readonly allowHttp: boolean;
}

const mostRedirects = 20;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a GET and follows redirects; the status of the answer may be anything else. The token is sent to the hub only.
 * Errors: DOWNLOAD_FAILED for an address without encryption; otherwise throws what `fetch` throws.
 */
export async function get(
  url: URL,
  access: Access,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const hub = new URL(access.endpoint).origin;
  let own = access.token !== undefined;
  let at = url;
  checkEncrypted(at, access);
  for (let hops = 0; ; hops++) {
    own &&= at.origin === hub; // a host that the hub redirects to could send the token on
    const response = await fetch(at, {
      // Without compression, so that lengths and ranges are those of the file.
      headers: { "accept-encoding": "identity", ...headers, ...(own && { authorization: `Bearer ${access.token}` }) },
      redirect: "manual",
      signal,
    });
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (hops === mostRedirects) throw new Error("redirect count exceeded");
    if (!URL.canParse(location, at.href)) throw new Error("redirect to an invalid address");
    const next = new URL(location, at);
    if (next.protocol !== "http:" && next.protocol !== "https:")
      throw downloadFailed(`${bare(at)} redirects to ${next.protocol}, which is neither https: nor http:`);
    if (at.protocol === "https:" && next.protocol === "http:" && !access.allowHttp)
      throw downloadFailed(`${bare(at)} redirects to ${bare(next)}, which is not encrypted; ${howToAllow}`);
    checkEncrypted(next, access);
    at = next;
  }
}

const howToAllow = "if you trust the network, allow it with the option allowHttp, or with --allow-http";

/** Refuses plain HTTP, except on this machine. */
function checkEncrypted(url: URL, { allowHttp }: Access): void {
  if (allowHttp || url.protocol !== "http:" || isLoopback(url.hostname)) return;
  throw downloadFailed(`${bare(url)} is not encrypted: use https://; ${howToAllow}`);
}

function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
}

/** The error for a failed request. */
export async function refusal(response: Response, access: Access): Promise<LlamaHooksError> {
  await response.body?.cancel();
  const { status, statusText, url } = response;
  const hint =
    status !== 401 && status !== 403
      ? ""
      : access.token === undefined
        ? "; set HF_TOKEN if it needs an account"
        : "; the token in HF_TOKEN does not open it";
  const said = `${status} ${statusText}`.trim();
  return downloadFailed(`${bare(url)} answered ${said}${hint}`, { details: { status } });
}

/** An address without parts that may be secret. */
export function bare(url: string | URL): string {
  const shown = new URL(url);
  shown.search = shown.hash = shown.username = shown.password = "";
  return shown.href;
}

const most = 120_000;

/**
 * The wait that an answer requests, in milliseconds: `Retry-After` in seconds or as a date. Undefined: none. Errors:
 * DOWNLOAD_FAILED if it is more than two minutes, because a user should not wait that long without knowing it.
 */
export function retryAfterOf({ headers, status, url }: Response): number | undefined {
  const said = headers.get("retry-after")?.trim() ?? "";
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  if (Number.isNaN(ms)) return undefined;
  if (ms <= most) return Math.max(0, ms);
  const seconds = Math.ceil(ms / 1000);
  throw downloadFailed(`${bare(url)} answered ${status} and asks to wait ${seconds} s: try again then`, {
    details: { status },
  });
}

/** True if the server is overloaded or failing for the moment, so that another attempt may succeed. */
export function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}

/** The reasons of a failure in words: `fetch` hides them in nested causes. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let at = error; at instanceof Error && said.length < 4; at = at.cause) {
    const inner = at instanceof AggregateError ? (at.errors[0] as unknown) : undefined;
    const text = at.message || (inner instanceof Error ? inner.message : "");
    if (text !== "" && !said.includes(text)) said.push(text);
  }
  return said.join(": ") || String(error);
}
