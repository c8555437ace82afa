// llama.cpp's own server, if scripts/build/llama-server.mjs has built it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../build/llama-server/bin/", import.meta.url));
const program = path.join(folder, "llama-server");
/** Why tests with it are skipped; empty if it is there. */
export const lacksServer = existsSync(program)
  ? ""
  : " (skipped: node scripts/build/llama-server.mjs has not been run)";
export const perplexityProgram = path.join(folder, "llama-perplexity");

export interface LlamaServer {
  /** Without the path of an interface. */
  readonly url: string;
  /** Posts JSON to a path and returns the JSON of the answer, for which it waits as long as it takes. */
  ask(path: string, body: object): Promise<object>;
  stop(): void;
}

async function ask(address: string, body: object): Promise<object> {
  const asked = request(address, { method: "POST", headers: { "content-type": "application/json" } });
  asked.end(JSON.stringify(body));
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return JSON.parse(answer) as object;
}

/** Starts the server with a model and more of its options, and waits until the model is loaded. */
export async function startLlamaServer(model: string, ...options: string[]): Promise<LlamaServer> {
  const args = ["--model", model, "--host", "127.0.0.1", "--port", "0", "--no-warmup", ...options];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: unknown): void => {
      log += String(chunk);
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => reject(new Error(`llama-server ended with ${code}: ${log.slice(-2000)}`)));
  });
  // It listens before its model is loaded.
  for (;;) {
    const { status } = await fetch(`${url}/health`);
    if (status === 200)
      return { url, ask: (path, body) => ask(url + path, body), stop: () => void child.kill("SIGKILL") };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
