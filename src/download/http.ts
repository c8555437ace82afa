// One question to a server, and what is wrong with the answer. Must not: ask again.
import type { LlamaHooksError } from "../base/errors.js";
import { failed } from "./failed.js";

/** Where a hub is, and what it is shown. */
export interface Access {
  /** Of the hub, without a slash at the end. */
  readonly endpoint: string;
  readonly token: string | undefined;
}

/** The answer to a GET, whose status may be anything. The token goes to the hub alone. Throws what `fetch` throws. */
export function get(url: URL, access: Access, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  const own = access.token !== undefined && url.origin === new URL(access.endpoint).origin;
  return fetch(url, {
    // Lengths and ranges are those of the file itself.
    headers: { "accept-encoding": "identity", ...headers, ...(own && { authorization: `Bearer ${access.token}` }) },
    signal,
  });
}

/** The error for an answer that is none. */
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
  return failed(`${bare(url)} answered ${said}${hint}`, { details: { status } });
}

/** An address without what may be secret in it. */
export function bare(url: string | URL): string {
  const shown = new URL(url);
  shown.search = shown.hash = shown.username = shown.password = "";
  return shown.href;
}

const most = 120_000;

/**
 * How long an answer asks to wait, in milliseconds: `Retry-After` in seconds or as a date. Undefined: it does not say. Errors:
 * DOWNLOAD_FAILED where that is more than two minutes, which nobody should wait for without knowing it.
 */
export function retryAfterOf({ headers, status, url }: Response): number | undefined {
  const said = headers.get("retry-after")?.trim() ?? "";
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  if (Number.isNaN(ms)) return undefined;
  if (ms <= most) return Math.max(0, ms);
  const seconds = Math.ceil(ms / 1000);
  throw failed(`${bare(url)} answered ${status} and asks to wait ${seconds} s: try again then`, {
    details: { status },
  });
}

/** A server that is too busy, or has a bad moment: what is worth another attempt. */
export function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}

/** What lies behind a failure, in words: `fetch` hides the reason in the cause of the cause. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let at = error; at instanceof Error && said.length < 4; at = at.cause) {
    const inner = at instanceof AggregateError ? (at.errors[0] as unknown) : undefined;
    const text = at.message || (inner instanceof Error ? inner.message : "");
    if (text !== "" && !said.includes(text)) said.push(text);
  }
  return said.join(": ") || String(error);
}
