// P25: what HTTP takes of the speed. One engine computes many answers at once for callers in its own process, which await
// them, and for a client that streams them over HTTP; and llama-server computes them for the same client, if its program
// is named. The sides take turns, and share their cores with the client.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/free-port.mjs";
import { question, startServing, stream, streamAll } from "./serving-work.mjs";

/**
 * Tokens per second of each side and round, and milliseconds to the first token of a call alone, awaited and over HTTP.
 * `llamaServer`: the path of its program; null: without it.
 */
export async function measure({ llamaServer, model, gpu, threads, streams, tokens, contextSize, rounds, calls }) {
  const ours = await startServing({ model, gpu, threads, streams, contextSize });
  const { endTokens } = ours;
  const theirs = llamaServer && (await startLlamaServer(llamaServer, { model, gpu, threads, streams, contextSize }));
  try {
    const options = { streams, tokens, endTokens };
    const sides = {
      awaited: (round) => ours.ask("awaited", { round, tokens }),
      streamed: (round) => streamAll(ours.port, { round, ...options }),
      ...(theirs && {
        // It closes idle connections after five seconds, at the moment in which the next round may use them.
        llamaServer: (round) => streamAll(theirs.port, { round, ...options, agent: false }),
      }),
    };
    const names = Object.keys(sides);
    const speeds = Object.fromEntries(names.map((name) => [name, []]));
    let number = 0;
    for (let round = 0; round <= rounds; round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const { ms, tokens: written } = await sides[name](number++);
        if (written !== streams * tokens) throw new Error(`${name}: ${written} tokens, not ${streams * tokens}`);
        if (round > 0) speeds[name].push((written * 1000) / ms); // the first one warms up
      }
    }
    const first = { awaited: [], streamed: [] };
    for (let call = 0; call < calls; call++) {
      first.awaited.push((await ours.ask("firstToken", { round: number++ })).ms);
      first.streamed.push((await stream(ours.port, question(number++, 0), { tokens: 4, endTokens })).firstMs);
    }
    return { streams, tokens, speeds, first };
  } finally {
    ours.end();
    theirs?.end();
  }
}

async function startLlamaServer(program, { model, gpu, threads, streams, contextSize }) {
  const port = await freePort();
  const settings = {
    "--model": model,
    "--host": "127.0.0.1",
    "--port": port,
    "--ctx-size": contextSize,
    "--parallel": streams,
    "--threads": threads,
    "--chat-template": "chatml",
    "--n-gpu-layers": gpu === false ? 0 : 999,
  };
  const child = spawn(program, [...Object.entries(settings).flat().map(String), "--log-disable"], { stdio: "ignore" });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const ended = once(child, "exit");
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return { port, end };
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`llama-server ended with ${String(await ended)}`);
    await sleep(50);
  }
}
