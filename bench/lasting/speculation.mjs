// P18: decoding with and without speculation, of text that repeats earlier text and of text that never does. The model
// walks (`walk` of writeSyntheticModel), so its output is known and nothing depends on luck.
// Must not: count tokens before the repetition.
import { plainly, withEngine } from "./engine.mjs";

/** `walk`: the model's; `speculation`: the load option. Returns tokens per second of each text. */
export function measure({ model, gpu, threads, walk, tokens, contextSize, speculation }) {
  const options = { model, gpu, threads, contextSize, parallel: 1, ...(speculation && { speculation }) };
  return withEngine(options, async (engine) => {
    // "A" is one of the first tokens, which form a circle: after one round everything is a repetition. After " the" the
    // vocabulary follows, token by token.
    const copied = await speed(engine, "A", walk + settled, tokens);
    const free = await speed(engine, "A the", settled, tokens);
    return { copied, free };
  });
}

/** After this many more tokens, n-grams of some length have occurred twice. */
const settled = 24;

/** Tokens per second after the first `lead` ones, by their arrival at the reader. */
async function speed(engine, prompt, lead, tokens) {
  let from;
  let to;
  for await (const event of engine.generate(prompt, { ...plainly, maxTokens: lead + tokens + 1 })) {
    if (event.type !== "token" || event.index < lead) continue;
    to = { at: performance.now(), index: event.index };
    from ??= to;
  }
  if (from === undefined || to.index === from.index) throw new Error("the text ended too soon");
  return ((to.index - from.index) * 1000) / (to.at - from.at);
}
