// Lends this machine's devices to engines on other machines: starts the engine's program in that role.
// Must not: listen on a network; the protocol has no authentication.
import { calledAt } from "../base/call-site.js";
import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { availableParallelism } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { checkObject, optionalInteger, wrong } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { libraryPath } from "../base/platform-process.js";
import type { Device } from "../generated/results.js";
import { findAddon } from "./find-addon.js";
import { type Gpu, gpus } from "./libraries.js";
import { usableModule } from "./usable-module.js";

/** Options of `startRpcServer()`. */
export interface RpcServerOptions {
  /** Port on 127.0.0.1 [50052]. */
  readonly port?: number;
  /** Threads of the CPU, if the machine has no GPU to lend [as many as it has cores]. */
  readonly threads?: number;
  /** The GPU backend whose devices are lent ["auto": the first that works]; false: the CPU is lent. */
  readonly gpu?: Gpu;
}

/** A device that an RPC server lends. */
export type LentDevice = Pick<Device, "name" | "description" | "type">;

/** A process that lends this machine's devices; see `startRpcServer()`. */
export interface RpcServer {
  /** "127.0.0.1:50052": for the option `rpc` of an engine on this machine, or for a tunnel to it. */
  readonly address: string;
  /** The devices that it lends: the machine's GPUs, or its CPU. */
  readonly devices: readonly LentDevice[];
  /** The id of its process. */
  readonly pid: number;
  /** Fulfilled when the server has ended, with the last words that it wrote. */
  readonly ended: Promise<string>;
  /** Ends the server. Engines that use it lose their process, with ENGINE_CRASHED. */
  close(): Promise<void>;
  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const keys = ["port", "threads", "gpu"] as const;
const host = "127.0.0.1";
const keptWords = 1000;
const lookEveryMs = 20;

/**
 * Starts a process that lends this machine's GPUs, or its CPU if it has none, to one engine after another: their option
 * `rpc`. It listens on 127.0.0.1 only, and ends with this process. A program that reaches its port may be able to run
 * code in it: let other machines reach it only through a tunnel that authenticates them (ssh, WireGuard). A GPU whose
 * driver is broken is left out with a warning, if `gpu` is "auto".
 * Errors: BACKEND_UNAVAILABLE if the port is in use or the GPU cannot be used; those of finding the addon.
 *
 * @example
 * ```ts
 * const server = await startRpcServer({ port: 50_052 });
 * const engine = await createEngine({ model: "model.gguf", isolation: "process", rpc: ["127.0.0.1:50052"] });
 * ```
 */
export function startRpcServer(options?: RpcServerOptions): Promise<RpcServer> {
  return calledAt(startRpcServer, () => start(options));
}

async function start(options?: RpcServerOptions): Promise<RpcServer> {
  const given = checkObject(options, "startRpcServer() options", keys);
  const port = optionalInteger(given.port, "port", 1, 65_535) ?? 50_052;
  const threads = optionalInteger(given.threads, "threads", 1, 512) ?? availableParallelism();
  const gpu = given.gpu === undefined ? "auto" : given.gpu;
  if (!gpus.includes(gpu as Gpu)) throw wrong("gpu", '"auto", "cuda", "metal", "vulkan" or false', gpu);
  await refusePortInUse(port);
  const { host: program, libraries, rpcModule } = findAddon();
  const address = `${host}:${port}`;
  const settings = {
    libraries,
    gpu_module: (await usableModule(gpu as Gpu)) ?? "", // which devices that gave, the server says itself
    rpc_module: rpcModule,
    address,
    threads,
  };
  const searched = [libraries, process.env[libraryPath]].filter((one) => one !== undefined && one !== "");
  const child = spawn(program, ["rpc-server", JSON.stringify(settings)], {
    env: { ...process.env, [libraryPath]: searched.join(path.delimiter) },
    stdio: "pipe", // it ends with its stdin, and so with this process
  });
  child.stdin.on("error", () => undefined); // it may be gone
  let words = "";
  const keep = (text: string): unknown => (words = (words + text).slice(-keptWords));
  const ended = new Promise<string>((resolve) => {
    child.on("error", ({ message }) => keep(message)).on("close", () => resolve(words.trim()));
  });
  child.stderr.setEncoding("utf8").on("data", keep);
  const devices = new Promise<LentDevice[]>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      keep(`${line}\n`); // a driver may write other lines
      if (line.startsWith('{"lends":')) resolve((JSON.parse(line) as { lends: LentDevice[] }).lends);
    });
  });
  const lends = await Promise.race([answers(port, child).then(() => devices), ended.then(() => null)]);
  if (lends === null) {
    throw new LlamaHooksError("BACKEND_UNAVAILABLE", `The RPC server at ${address} has ended: ${await ended}`);
  }
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { address, devices: lends, pid: child.pid as number, ended, close, [Symbol.asyncDispose]: close };
}

function refusePortInUse(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", (cause) => {
      const message = `The RPC server cannot listen at ${host}:${port}: ${cause.message}`;
      reject(new LlamaHooksError("BACKEND_UNAVAILABLE", message, { cause }));
    });
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

/** Waits until the port answers, or for ever if the server ends before. A connection that closes does it no harm. */
async function answers(port: number, server: ChildProcess): Promise<void> {
  while (server.exitCode === null && server.signalCode === null) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host, () => (socket.destroy(), resolve(true))).on("error", () => resolve(false));
    });
    if (connected) return;
    await setTimeout(lookEveryMs);
  }
  return new Promise(() => undefined);
}
