// The errors and warnings about an MCP server. Must not: show more of a server's words than a person can read.
import { LlamaHooksError } from "../index.js";
import type { Setup } from "./options.js";

const longestQuote = 1_000;

/** A text of the server in a message. */
export function quoted(text: string): string {
  const plain = text.replaceAll("\0", "\ufffd");
  return plain.length <= longestQuote
    ? plain
    : `${plain.slice(0, longestQuote)} ... (${plain.length} characters in all)`;
}

/** The error of a request that failed in the client or at the server. */
export function failed(origin: string, did: string, cause: unknown): LlamaHooksError {
  if (cause instanceof LlamaHooksError) return cause;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  const why = quoted(cause instanceof Error ? cause.message : String(cause));
  const known = typeof code === "string" || typeof code === "number" ? ` (${code})` : "";
  return new LlamaHooksError("MCP_FAILED", `the MCP server ${origin} ${did}: ${why}${known}`, { cause });
}

/** The error of a server that goes beyond a limit. */
export function beyond(origin: string, what: string): LlamaHooksError {
  return new LlamaHooksError("MCP_LIMIT", `the MCP server ${origin} ${what}`);
}

const mostWarnings = 10;

/**
 * Reports problems that no call can. A server can cause any number of them, so the process prints the first ones only.
 */
export class Warnings {
  readonly #setup: Setup;
  #printed = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  report(problem: LlamaHooksError): void {
    const { onWarning, origin } = this.#setup;
    if (onWarning !== undefined) {
      try {
        onWarning(problem);
      } catch {
        // Ignored, as the docstring of the option says: no other function could receive it.
      }
      return;
    }
    if (this.#printed > mostWarnings) return;
    if (this.#printed++ < mostWarnings) process.emitWarning(problem);
    else process.emitWarning(`llama-hooks: further warnings about the MCP server ${origin} are not printed`);
  }
}
