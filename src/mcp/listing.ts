// Reads the list of a server's tools, page by page. Must not: trust that the list ends, or that its entries are tools.
import type { Client } from "@modelcontextprotocol/client";
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../index.js";
import { beyond, failed } from "./failures.js";
import type { Setup } from "./options.js";

const mostPages = 100;
const mostListed = 10_000;

/**
 * Takes any result: the client's own schema refuses the whole list for one entry that is wrong, and a wrong tool is to
 * cost itself alone.
 */
export const anything = {
  "~standard": { version: 1, vendor: "llama-hooks", validate: (value: unknown) => ({ value }) },
} as const;

/**
 * The entries of the server's list, unchecked. Errors: MCP_FAILED; MCP_LIMIT for a list that does not end; the reason
 * of the signal.
 */
export async function listTools(client: Client, setup: Setup, signal: AbortSignal): Promise<unknown[]> {
  const { origin, listTimeoutMs } = setup;
  if (!isObject(client.getServerCapabilities()?.tools)) return [];
  const late = AbortSignal.timeout(listTimeoutMs);
  const either = AbortSignal.any([signal, late]);
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await pageOf(client, origin, cursor, { signal: either, timeout: listTimeoutMs }).catch(
      (error: unknown) => {
        if (signal.aborted) throw signal.reason;
        const cause = late.aborted
          ? new Error(`no end after ${listTimeoutMs} ms (listTimeoutMs)`, { cause: error })
          : error;
        throw failed(origin, "did not list its tools", cause);
      },
    );
    for (const entry of page.tools) entries.push(entry);
    cursor = page.nextCursor;
    if (cursor !== undefined && cursors.has(cursor)) throw beyond(origin, "lists its tools in a circle");
    if (cursor !== undefined) cursors.add(cursor);
    if (cursors.size >= mostPages) throw beyond(origin, `lists its tools on more than ${mostPages} pages`);
    if (entries.length > mostListed) throw beyond(origin, `lists more than ${mostListed} tools`);
  } while (cursor !== undefined);
  return entries;
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

async function pageOf(
  client: Client,
  origin: string,
  cursor: string | undefined,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Page> {
  const params = cursor === undefined ? {} : { cursor };
  const result: unknown = await client.request({ method: "tools/list", params }, anything, options);
  const { tools, nextCursor } = isObject(result) ? result : {};
  if (!Array.isArray(tools))
    throw new LlamaHooksError("MCP_FAILED", `the MCP server ${origin} answered tools/list without an array of tools`);
  return { tools, nextCursor: typeof nextCursor === "string" ? nextCursor : undefined };
}
