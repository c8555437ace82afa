// Connections of tests that speak HTTP by hand, with requests that no client would send.
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { HttpServer } from "../../../src/server/index.js";

export interface Raw {
  readonly socket: Socket;
  send(text: string): void;
  /** Resolves with everything that has come, once it has the text; rejects if the connection ends without it. */
  heard(text: string | RegExp): Promise<string>;
  /** Resolves with everything that has come when the server has ended the connection. */
  readonly ended: Promise<string>;
}

/** Connects to a server. */
export function rawTo({ port }: Pick<HttpServer, "port">, first = ""): Raw {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let came = "";
  socket.setEncoding("utf8").on("data", (text: string) => (came += text));
  const ended = new Promise<string>((resolve) => {
    socket.on("error", () => undefined); // a reset is an end, too
    socket.on("close", () => resolve(came));
  });
  const heard = (text: string | RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const has = (): boolean => (typeof text === "string" ? came.includes(text) : text.test(came));
      const look = (): void => void (has() && resolve(came));
      socket.on("data", look);
      look();
      void ended.then(() => reject(new Error(`the connection ended without ${String(text)}: ${came}`)));
    });
  if (first !== "") socket.write(first);
  return { socket, send: (text) => void socket.write(text), heard, ended };
}

/** The text of a POST with such headers, and with the length of the body unless the headers have one. */
export function postOf(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    host: "localhost",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** The status of the first answer in a text. */
export function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}
