// P20: how much of a growing conversation is found in the cache of a model that does not remember every token in every
// layer. Must not: help the cache by anything but calling the engine as its users do.
import { withEngine } from "./engine.mjs";

const rule = "Be exact, be kind, give the source of what you say, and do not guess what you can look up. ";
const questions = [
  "What is the weather in Oslo?",
  "And what should I wear for a walk by the sea?",
  "Who are you, and what can you do for me?",
  "Tell me something about the harbour and its boats.",
  "Thank you. What was my first question?",
  "Good. Say goodbye, please.",
];

/**
 * The usage of each turn, with `earlier`: the tokens before it. Answers consist of random tokens, which the next prompt
 * may spell differently; no cache can find these, so answers are short and the text before them is long.
 */
export function measure({ model, gpu, threads }) {
  return withEngine({ model, gpu, threads, contextSize: 2048 }, async (engine) => {
    const messages = [{ role: "system", content: rule.repeat(30) }];
    const turns = [];
    let earlier = 0;
    for (const content of questions) {
      messages.push({ role: "user", content });
      const result = await engine.generate(messages, { maxTokens: 12, temperature: 0, ignoreEos: true });
      turns.push({ ...result.usage, earlier });
      earlier = result.usage.promptTokens + result.usage.completionTokens;
      messages.push(...result.messages);
    }
    return { turns };
  });
}
