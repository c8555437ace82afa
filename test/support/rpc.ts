// RPC servers of this machine, closed after the test.
import { createServer, type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type RpcServer, startRpcServer } from "../../src/index.js";

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

export async function openRpcServer(port?: number): Promise<RpcServer> {
  const server = await startRpcServer({ port: port ?? (await freePort()), threads: 1, gpu: false });
  onTestFinished(() => server.close());
  return server;
}

/** The address of a server that accepts connections and answers nothing. */
export function openSilentServer(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer((socket) => void socket.on("error", () => undefined).resume());
    server.listen(0, "127.0.0.1", () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`));
    onTestFinished(() => void server.close());
  });
}
