// `llama-hooks rpc-server`: lends this machine's GPUs, or its CPU, to an engine on another machine (option `rpc`).
import { LlamaHooksError, type RpcServerOptions, startRpcServer } from "../../index.js";

export type { RpcServerOptions };

export async function rpcServer(options: RpcServerOptions): Promise<number> {
  const server = await startRpcServer(options);
  const devices = server.devices.map(({ name, description }) => `${name} (${description})`).join(", ");
  process.stderr.write(`lending ${devices} to engines with rpc: ["${server.address}"]; ctrl-C ends it\n`);
  throw new LlamaHooksError("BACKEND_UNAVAILABLE", `The RPC server has ended: ${await server.ended}`);
}
