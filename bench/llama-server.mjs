// llama-server as a contender: started for a measurement, and asked over HTTP. scripts/build/llama-server.mjs builds it.
// Must not: be started with settings that its own documentation would not choose.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import http from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promptsOf } from "../dist/bench/measure/job.js";
import { measurementOf, timingTogether } from "../dist/bench/measure/timing.js";
import { freePort } from "../scripts/test/free-port.mjs";

/** The path of the program; undefined if it is not built. */
export const llamaServer = builtProgram();

function builtProgram() {
  const program = fileURLToPath(new URL("../build/llama-server/bin/llama-server", import.meta.url));
  return existsSync(program) ? program : undefined;
}

/** Starts the program, and waits until the model is loaded: { port, pid, end() }. `contextSize`: of all streams. */
export async function startLlamaServer(program, { model, gpu, threads, streams, contextSize, flags = {}, signal }) {
  const port = await freePort();
  const settings = {
    "--model": model,
    "--host": "127.0.0.1",
    "--port": port,
    "--ctx-size": contextSize,
    "--parallel": streams,
    "--threads": threads,
    "--n-gpu-layers": gpu === false ? 0 : 999,
    ...flags,
  };
  const given = Object.entries(settings).flatMap(([flag, value]) => (value === true ? [flag] : [flag, String(value)]));
  const child = spawn(program, [...given, "--log-disable"], { stdio: "ignore" });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const ended = once(child, "exit").finally(() => process.off("exit", end));
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return { port, pid: child.pid, end };
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`llama-server ended with ${String(await ended)}`);
    await sleep(5, undefined, { signal });
  }
}

/** One measurement of a Job (src/bench/measure/job.ts), with the times that its client sees. */
export async function measureLlamaServer(job, signal) {
  if (llamaServer === undefined) throw new Error("llama-server is not built: node scripts/build/llama-server.mjs");
  const { sequences, contextSize, tokens } = job;
  const start = performance.now();
  const options = { ...job, streams: sequences, contextSize: contextSize * sequences };
  const server = await startLlamaServer(llamaServer, { ...options, signal });
  try {
    const loadMs = performance.now() - start;
    const begin = performance.now();
    const usages = await Promise.all(promptsOf(job).map((prompt) => complete(server.port, prompt, tokens + 1, signal)));
    const timing = timingTogether(usages, performance.now() - begin);
    return measurementOf({ loadMs, ...timing }, server.pid);
  } finally {
    server.end();
  }
}

/** The usage of one streamed completion, with the client's times. */
async function complete(port, prompt, tokens, signal) {
  const options = { n_predict: tokens, temperature: 0, ignore_eos: true, cache_prompt: false, stream: true };
  const begin = performance.now();
  const request = http.request({ host: "127.0.0.1", port, path: "/completion", method: "POST", signal });
  request.setHeader("content-type", "application/json");
  request.end(JSON.stringify({ prompt, ...options }));
  const [response] = await once(request, "response");
  let promptMs;
  let last = "";
  for await (const line of createInterface({ input: response })) {
    if (line === "") continue;
    promptMs ??= performance.now() - begin;
    last = line;
  }
  const { timings } = JSON.parse(last.replace(/^data: /, ""));
  if (timings?.predicted_n !== tokens) throw new Error(`status ${response.statusCode}: ${last.slice(0, 300)}`);
  const decodeMs = performance.now() - begin - promptMs;
  return { promptTokens: timings.prompt_n, promptMs, completionTokens: timings.predicted_n, decodeMs };
}
