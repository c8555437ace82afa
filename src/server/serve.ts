// A server on node:http.
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Engine } from "../index.js";
import { Answering } from "./answering.js";
import { checkEngine } from "./handler.js";
import { ApiError } from "./http/api-error.js";
import { carry } from "./http/node-adapter.js";
import { checkGrace, checkServeOptions, type ServeOptions } from "./options.js";

/** Milliseconds for the headers of a request, and those in which the last bytes of a closing server must be taken. */
const headersTimeoutMs = 15_000;
const lastBytesMs = 1000;

/** Milliseconds for which an idle connection is kept: longer than proxies keep theirs, so that it is they who end one. */
const keepAliveTimeoutMs = 75_000;

/** A server that listens. */
export interface HttpServer extends AsyncDisposable {
  /** The address that clients take as their base URL, without `/v1`. */
  readonly url: string;
  /** The address that it listens at. */
  readonly host: string;
  /** The port that it listens at. */
  readonly port: number;
  /**
   * Stops listening. Requests under way may end within the grace [0 ms], and are cancelled then. Resolves when all
   * connections are closed, which takes a few seconds more if a hook holds a request up. The engine stays open. A second
   * call returns the same promise.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves an engine's models over the OpenAI-compatible protocol, at 127.0.0.1:8080 by default. Another address than this
 * machine's own needs `keys`. There is no TLS: put a proxy in front for a network that others can read.
 * Misuse throws `TypeError`. Rejects with the error of the system if it cannot listen.
 */
export async function serve(engine: Engine, options?: ServeOptions): Promise<HttpServer> {
  const checked = checkServeOptions(options);
  const answering = new Answering(checkEngine(engine, "serve()"), checked);
  const { host, port, bodyTimeoutMs, drainTimeoutMs } = checked;
  /** Requests under way by connection: some come before the answer of the one before. */
  const underWay = new WeakMap<Duplex, number>();
  const count = (socket: Duplex, more: number): unknown => underWay.set(socket, (underWay.get(socket) ?? 0) + more);
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: headersTimeoutMs + bodyTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 5000,
    },
    (request, response) => {
      const { socket } = request;
      count(socket, 1);
      response.once("close", () => {
        count(socket, -1);
        if (!server.listening) setImmediate(() => server.closeIdleConnections());
      });
      request.on("error", () => undefined); // the end of the connection is seen at the response
      carry(request, response, { answer: (exchange) => answering.answer(exchange), drainTimeoutMs }).catch(
        (error: unknown) => {
          response.destroy();
          process.emitWarning(`A request could not be answered: ${String(error)}`);
        },
      );
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    refuse(error, socket, (underWay.get(socket) ?? 0) > 0),
  );
  await listen(server, host, port);
  const at = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = (graceMs = 0): Promise<void> => (closing ??= end(server, answering, checkGrace(graceMs)));
  const name = at.family === "IPv6" ? `[${at.address}]` : at.address;
  return {
    url: `http://${name}:${at.port}`,
    host: at.address,
    port: at.port,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function end(server: Server, answering: Answering, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await answering.close(graceMs);
  const timer = setTimeout(() => server.closeAllConnections(), lastBytesMs);
  await closed;
  clearTimeout(timer);
}

/** Answers what is no HTTP request. An answer that is under way on the connection must not get another into it. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex | Socket, isBusy: boolean): void {
  if (isBusy || !socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, message } = refusalOf(error.code);
  const body = JSON.stringify(new ApiError(status, message).envelope);
  const head = `HTTP/1.1 ${status} ${message}\r\ncontent-type: application/json\r\nconnection: close`;
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function refusalOf(code: string | undefined): { readonly status: number; readonly message: string } {
  if (code === "HPE_HEADER_OVERFLOW") return { status: 431, message: "The headers are too large" };
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return { status: 408, message: "The request did not arrive in time" };
  return { status: 400, message: "This is not an HTTP request" };
}
