// Carries requests and answers of the Fetch API, for frameworks whose handlers take a Request and return a Response.
import type { Answer, Exchange, Pieces } from "./exchange.js";

/** The exchange of a Request. */
export function exchangeOf(request: Request, signal: AbortSignal): Exchange {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    // A Request that no server made has no Host header.
    header: (name) => request.headers.get(name) ?? (name === "host" ? url.host : undefined),
    body: bodyOf(request),
    signal,
  };
}

/** The Response of an answer. A reader that takes nothing for `drainTimeoutMs` is cut off. */
export function responseOf({ status, headers, body }: Answer, drainTimeoutMs: number, signal: AbortSignal): Response {
  if (typeof body === "string") return new Response(body, { status, headers });
  if (signal.aborted) body.stop();
  signal.addEventListener("abort", () => body.stop(), { once: true });
  return new Response(streamOf(body, drainTimeoutMs), { status, headers });
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array, void> {
  if (body !== null) yield* body as unknown as AsyncIterable<Uint8Array>;
}

function streamOf(pieces: Pieces, drainTimeoutMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  const leave = (): void => {
    clearTimeout(stalled);
    pieces.stop();
  };
  return new ReadableStream<Uint8Array>(
    {
      // Called when the reader has taken what was enqueued before.
      async pull(controller) {
        clearTimeout(stalled);
        const text = await pieces.next();
        if (text === undefined) return controller.close();
        controller.enqueue(encoder.encode(text));
        stalled = setTimeout(() => {
          leave();
          controller.error(new Error(`The reader took nothing for ${drainTimeoutMs} ms`));
        }, drainTimeoutMs);
        stalled.unref();
      },
      cancel: leave,
    },
    { highWaterMark: 1 },
  );
}
