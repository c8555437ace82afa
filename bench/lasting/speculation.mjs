// P18: decoding with and without speculation, of text that repeats what was said and of text that never does. The model is
// one that walks (`walk` of writeSyntheticModel): what it says is known, so that nothing depends on luck.
// Must not: count what comes before the repetition.
import { plainly, withEngine } from "./engine.mjs";

/** `walk`: the model's; `speculation`: the load option. Gives tokens a second of each text. */
export function measure({ model, gpu, threads, walk, tokens, contextSize, speculation }) {
  const options = { model, gpu, threads, contextSize, parallel: 1, ...(speculation && { speculation }) };
  return withEngine(options, async (engine) => {
    // "A" is one of the first tokens, which come round and round: after one round all is a copy. What follows " the" is
    // the vocabulary, token by token.
    const copied = await speed(engine, "A", walk + settled, tokens);
    const free = await speed(engine, "A the", settled, tokens);
    return { copied, free };
  });
}

/** So many tokens more, and an n-gram of some length has been met twice. */
const settled = 24;

/** Tokens a second after the first `lead` ones, from when their reader gets them. */
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
