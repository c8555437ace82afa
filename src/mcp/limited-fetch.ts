// A fetch() for the client's HTTP transports that does not read messages of any size.
import { optionalFunction, optionalInteger, wrong } from "../base/check.js";
import { LlamaHooksError } from "../index.js";

/**
 * Returns a `fetch` for the HTTP transports of a client: its answers fail with MCP_LIMIT when a message has more than
 * `maxBytes` bytes. A message is the whole body, or one event of an event stream; the stream itself may be endless.
 * `fetch`: the function that fetches [the global one]. Errors: `TypeError`.
 *
 * @example
 * ```ts
 * const transport = new StreamableHTTPClientTransport(new URL("https://host/mcp"), { fetch: limitedFetch(1_000_000) });
 * await client.connect(transport);
 * ```
 */
export function limitedFetch(maxBytes: number, fetch: typeof globalThis.fetch = globalThis.fetch): typeof fetch {
  const most = optionalInteger(maxBytes, "maxBytes of limitedFetch()", 1);
  if (most === undefined) throw wrong("maxBytes of limitedFetch()", "an integer of at least 1", maxBytes);
  optionalFunction(fetch, "fetch of limitedFetch()");
  return async (...request) => {
    const response = await fetch(...request);
    if (response.body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const body = response.body.pipeThrough(limit(most, isStream));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function limit(most: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const measure = isStream ? eventBytes() : totalBytes();
  return new TransformStream({
    transform(chunk, controller) {
      if (measure(chunk) <= most) controller.enqueue(chunk);
      else
        controller.error(
          new LlamaHooksError("MCP_LIMIT", `the MCP server sent a message of more than ${most} bytes (limitedFetch)`),
        );
    },
  });
}

type Measure = (chunk: Uint8Array) => number;

function totalBytes(): Measure {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

/** The longest event so far that the chunk is part of. An event ends with an empty line: two line ends in a row. */
function eventBytes(): Measure {
  const [LF, CR] = [10, 13];
  let bytes = 0;
  let lineIsEmpty = true;
  return (chunk) => {
    let most = 0;
    for (const byte of chunk) {
      bytes++;
      if (byte === LF) {
        most = Math.max(most, bytes);
        if (lineIsEmpty) bytes = 0;
        lineIsEmpty = true;
      } else if (byte !== CR) lineIsEmpty = false;
    }
    return Math.max(most, bytes);
  };
}
