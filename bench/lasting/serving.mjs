// P25: what HTTP takes of the speed. One engine computes many answers at once for callers in its own process, which
// await them, and for a client that streams them over HTTP; and llama-server computes them for the same client, if it
// is built. The sides take turns, and share their cores with the client.
import { llamaServer, startLlamaServer } from "../llama-server.mjs";
import { question, startServing, stream, streamAll } from "./serving-work.mjs";

const flags = { "--chat-template": "chatml" };

/**
 * Tokens per second of each side and round, and milliseconds to the first token of a call alone, awaited and over HTTP.
 */
export async function measure({ model, gpu, threads, streams, tokens, contextSize, rounds, calls }) {
  const ours = await startServing({ model, gpu, threads, streams, contextSize });
  const { endTokens } = ours;
  const theirs =
    llamaServer && (await startLlamaServer(llamaServer, { model, gpu, threads, streams, contextSize, flags }));
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
