// RPC servers of this machine, closed after the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
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

/** Forwards connections. One that has sent so many bytes stalls, and `stalled` resolves. */
const stallingProxy = `
import { connect, createServer } from "node:net";
const [host, port, most] = process.argv.slice(1);
let isStalled = false;
createServer((socket) => {
  const server = connect(Number(port), host);
  let sent = 0;
  server.on("error", () => socket.destroy()).on("close", () => socket.destroy()).pipe(socket);
  socket.on("error", () => undefined).on("close", () => server.destroy());
  socket.on("data", (piece) => {
    sent += piece.length;
    if (sent <= Number(most)) return void server.write(piece);
    if (!isStalled) console.log("stalled");
    isStalled = true; // what comes is dropped, so that the end of the connection is noticed
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
process.stdin.on("end", () => process.exit()).resume();
`;

/** A proxy of a server in a separate process: an engine waits for its devices on the thread of JavaScript. */
export async function openStallingProxy(address: string, mostBytes: number) {
  const [host = "", port = ""] = address.split(":");
  const args = ["--input-type=module", "-e", stallingProxy, host, port, String(mostBytes)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout);
  const [own] = (await once(lines, "line")) as [string];
  return { address: `127.0.0.1:${own}`, stalled: once(lines, "line") };
}
