// P24: what a remote model adds to the time of its provider. Reads the stream of an AI SDK language model by itself,
// and through engine.generate() with a reader, in pairs within one process. The provider has its whole answer at once,
// so that nothing but the way of its pieces takes time.
// Must not: send anything over a network.
import { withEngine } from "./engine.mjs";

/** A provider whose answers have so many pieces. */
function provider(pieces) {
  const parts = [
    { type: "stream-start", warnings: [] },
    ...Array.from({ length: pieces }, (_, n) => ({ type: "text-delta", id: "0", delta: ` w${n}` })),
    {
      type: "finish",
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 5 }, outputTokens: { total: pieces } },
    },
  ];
  const start = (controller) => {
    for (const part of parts) controller.enqueue(part);
    controller.close();
  };
  const doStream = async () => ({ stream: new ReadableStream({ start }) });
  return { specificationVersion: "v3", provider: "bench", modelId: String(pieces), doStream };
}

async function alone(model) {
  const begin = performance.now();
  const reader = (await model.doStream()).stream.getReader();
  let read = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) read += part.value.type.length;
  return read > 0 ? performance.now() - begin : Number.NaN;
}

async function through(engine, model, hook) {
  const added = hook ? engine.hooks.on("streamToken", () => undefined) : undefined;
  const begin = performance.now();
  let pieces = 0;
  for await (const event of engine.generate("Hello", { model })) pieces += event.type === "token" ? 1 : 0;
  const ms = performance.now() - begin;
  added?.dispose();
  return pieces > 0 ? ms : Number.NaN;
}

/**
 * Microseconds that a piece takes beyond the provider, without and with an awaited hook on each, and milliseconds that
 * a call of one piece takes beyond it, per pair; and milliseconds of `streams` answers at once.
 */
export function measure({ gpu, pieces, pairs, streams }) {
  const [long, short] = [provider(pieces), provider(1)];
  const models = { long: { provider: long, parallel: streams }, short: { provider: short } };
  return withEngine({ models, gpu: gpu === false ? false : "auto" }, async (engine) => {
    const found = { pieceUs: [], hookedPieceUs: [], callMs: [] };
    for (let pair = 0; pair <= pairs; pair++) {
      const own = await alone(long);
      const piece = ((await through(engine, "long", false)) - own) / pieces;
      const hooked = ((await through(engine, "long", true)) - own) / pieces;
      const call = (await through(engine, "short", false)) - (await alone(short));
      if (pair === 0) continue; // code and pages are cold
      found.pieceUs.push(piece * 1000);
      found.hookedPieceUs.push(hooked * 1000);
      found.callMs.push(call);
    }
    const begin = performance.now();
    const answers = await Promise.all(
      Array.from({ length: streams }, () => engine.generate("Hello", { model: "long" })),
    );
    const whole = answers.filter(({ usage }) => usage.completionTokens === pieces).length;
    if (whole !== streams) throw new Error(`${whole} of ${streams} answers were whole`);
    return { pieces, streams, streamsMs: performance.now() - begin, ...found };
  });
}
