// The process that serves in P25 and P26: one engine with a server before it, and the same work without HTTP. It sends
// { port, endTokens }, and answers each message { ask, ... } with the result of that function. Ends with its parent.
import { createEngine } from "../../dist/index.js";
import { serve } from "../../dist/server/index.js";
import { question, storyOptions } from "./serving-work.mjs";

const { model, gpu, threads, streams, contextSize } = JSON.parse(process.argv[2]);
const engine = await createEngine({ model, gpu, threads, parallel: streams, contextSize, chatTemplate: "chatml" });
const server = await serve(engine, { port: 0 });
const endTokens = await engine.tokenize("</s>", { parseSpecial: true });

const answers = {
  /** Milliseconds and tokens of all `streams` at once, awaited. */
  async awaited({ round, tokens }) {
    const options = storyOptions(endTokens, tokens);
    const begin = performance.now();
    const results = await Promise.all(
      Array.from({ length: streams }, (_, index) => engine.generate(question(round, index), options)),
    );
    const ms = performance.now() - begin;
    return { ms, tokens: results.reduce((sum, { usage }) => sum + usage.completionTokens, 0) };
  },
  /** Milliseconds to the first token of one. */
  async firstToken({ round }) {
    const begin = performance.now();
    let ms = Number.NaN;
    for await (const { type } of engine.generate(question(round, 0), storyOptions(endTokens, 4)))
      if (type === "token" && Number.isNaN(ms)) ms = performance.now() - begin;
    return { ms };
  },
  /** Resident memory, in MB. */
  memory() {
    globalThis.gc?.();
    return { residentMb: process.memoryUsage.rss() / 1e6 };
  },
};

process.on("message", async ({ ask, ...details }) => {
  try {
    process.send(await answers[ask](details));
  } catch ({ message }) {
    process.send({ error: message });
  }
});
process.on("disconnect", () => process.exit());
process.send({ port: server.port, endTokens });
