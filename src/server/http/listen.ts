// Listens on node:http: enforces time limits, refuses input that is not an HTTP request, and closes without cutting off
// answers.
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "./api-error.js";
import type { Answer, Exchange } from "./exchange.js";
import { carry } from "./node-adapter.js";

/** Milliseconds for the headers of a request, and those in which the last bytes of a closing server must be taken. */
const headersTimeoutMs = 15_000;
const lastBytesMs = 1000;

/** Milliseconds for which an idle connection is kept: longer than proxies keep theirs, so that the proxy ends it. */
const keepAliveTimeoutMs = 75_000;

/** The address at which a server listens, and its bounds. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly bodyTimeoutMs: number;
  readonly drainTimeoutMs: number;
}

/** A server that listens. */
export interface Listener {
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** Stops listening, waits for `answered`, and resolves when all connections are closed. */
  close(answered: () => Promise<unknown>): Promise<void>;
}

/** Listens, and answers requests: `answer` never rejects. Rejects with the error of the system if it cannot listen. */
export async function startListening(
  { host, port, bodyTimeoutMs, drainTimeoutMs }: Listening,
  answer: (exchange: Exchange) => Promise<Answer>,
): Promise<Listener> {
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
      carry(request, response, { answer, drainTimeoutMs }).catch((error: unknown) => {
        response.destroy();
        process.emitWarning(`A request could not be answered: ${String(error)}`);
      });
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    refuse(error, socket, (underWay.get(socket) ?? 0) > 0),
  );
  await listen(server, host, port);
  const at = server.address() as AddressInfo;
  const name = at.family === "IPv6" ? `[${at.address}]` : at.address;
  return {
    origin: `http://${name}:${at.port}`,
    host: at.address,
    port: at.port,
    close: (answered) => end(server, answered),
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

async function end(server: Server, answered: () => Promise<unknown>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await answered();
  const timer = setTimeout(() => server.closeAllConnections(), lastBytesMs);
  await closed;
  clearTimeout(timer);
}

/** Answers input that is not an HTTP request, unless another answer is under way on the connection. */
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
