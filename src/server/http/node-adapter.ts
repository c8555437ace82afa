// Carries requests and answers of node:http.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer, Exchange, Pieces } from "./exchange.js";

/** Milliseconds for which the rest of a refused request is read, so that its client gets to read the answer. */
const lingerMs = 2000;

/** Milliseconds for which the head of an answer waits for its first text. */
const headWaitsMs = 10;

/** Answers requests: `answer` never rejects. */
export async function carry(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, drainTimeoutMs }: { answer(exchange: Exchange): Promise<Answer>; readonly drainTimeoutMs: number },
): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  // A response that waits behind another one has no connection yet, so it gets no event when the connection closes.
  const { socket } = request;
  socket.once("close", leave);
  response.once("close", () => {
    socket.off("close", leave);
    leave();
  });
  const given = await answer(exchangeOf(request, gone.signal));
  if (gone.signal.aborted) {
    if (typeof given.body !== "string") given.body.stop();
    return;
  }
  if (given.closes === true) response.setHeader("connection", "close");
  if (typeof given.body !== "string") return writePieces(response, given, given.body, gone, drainTimeoutMs);
  const bytes = Buffer.from(given.body);
  response.writeHead(given.status, { ...given.headers, "content-length": bytes.byteLength });
  if (given.closes !== true || request.complete) return void response.end(bytes);
  // Ending the connection while the client still sends would take the answer from it.
  response.write(bytes);
  request.resume();
  request.on("error", () => undefined);
  const linger = AbortSignal.any([gone.signal, AbortSignal.timeout(lingerMs)]);
  await once(request, "end", { signal: linger }).catch(() => undefined);
  response.end();
}

function exchangeOf(request: IncomingMessage, signal: AbortSignal): Exchange {
  return {
    method: request.method ?? "GET",
    path: (request.url ?? "/").split("?", 1)[0] ?? "/",
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    // Leaving the iteration early must not destroy the connection, which still has to carry the answer.
    body: { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) },
    signal,
  };
}

async function writePieces(
  response: ServerResponse,
  { status, headers }: Answer,
  pieces: Pieces,
  gone: AbortController,
  drainTimeoutMs: number,
): Promise<void> {
  gone.signal.addEventListener("abort", () => pieces.stop(), { once: true });
  response.writeHead(status, headers);
  // The head goes out with the first text, in one write, unless that is a while in coming.
  const late = setTimeout(() => response.flushHeaders(), headWaitsMs);
  for (;;) {
    const text = await pieces.next();
    clearTimeout(late);
    if (gone.signal.aborted) return;
    if (text === undefined) return void response.end();
    if (response.write(text)) continue;
    const wait = AbortSignal.any([gone.signal, AbortSignal.timeout(drainTimeoutMs)]);
    const drained = await once(response, "drain", { signal: wait }).then(
      () => true,
      () => false,
    );
    if (drained) continue;
    pieces.stop();
    response.destroy();
    return;
  }
}
