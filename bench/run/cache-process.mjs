// The savings of the KV cache: turns of a conversation, and generations that share a system prompt. A separate process
// that prints one line of JSON. Must not: help the cache by anything but calling the engine as its users do.
//
// node bench/run/cache-process.mjs MODEL JSON, with { gpu, threads }; the model uses the template of its file.
import { demoTools } from "../../dist/cli/agent/demo-tools.js";
import { createEngine } from "../../dist/index.js";

const [model, json] = process.argv.slice(2);
const { gpu, threads } = JSON.parse(json);

const system = "You are a helpful assistant. Answer in plain words.";
const questions = [
  "What is the weather in Oslo?",
  "And what should I wear for a walk by the sea?",
  "Who are you, and what can you do for me?",
  "What is 12 * 7?",
  "Tell me something about the harbour and its boats.",
  "Thank you. What was my first question?",
  "Good. Say goodbye, please.",
];

/** Each model call of a conversation, with the tokens that a cache that forgets nothing would hold at its start. */
async function conversation(tools) {
  const engine = await createEngine({ model, gpu, threads });
  const calls = [];
  engine.hooks.on("postGenerate", ({ usage, toolCalls }) => void calls.push({ ...usage, tools: toolCalls.length }));
  const session = engine.session({ system, tools, maxTokens: 48, temperature: 0 });
  for (const question of questions) await session.run(question);
  await engine.close();
  const earlier = calls.map(({ promptTokens, completionTokens }) => promptTokens + completionTokens);
  return calls.map((call, index) => ({ ...call, earlier: earlier[index - 1] ?? 0 }));
}

/** Generations started together that share a long system prompt. */
async function sharedSystemPrompt() {
  const count = 8;
  const rule = "Be exact, be kind, give the source of what you say, and do not guess what you can look up. ";
  const long = { role: "system", content: rule.repeat(12) };
  const engine = await createEngine({ model, gpu, threads, parallel: count, contextSize: 2048 });
  const prompts = questions
    .concat("What is the time?")
    .slice(0, count)
    .map((content) => [long, { role: "user", content }]);
  const tokens = await Promise.all(
    prompts.map(async (messages) => {
      const text = await engine.models.renderPrompt(undefined, { messages });
      return engine.models.tokenize(undefined, text, { addSpecial: true, parseSpecial: true });
    }),
  );
  const shared = sharedLength(tokens);
  const results = await Promise.all(
    prompts.map((messages) => engine.generate(messages, { maxTokens: 16, temperature: 0, ignoreEos: true })),
  );
  await engine.close();
  const usages = results.map(({ usage }) => usage);
  const sum = (of) => usages.reduce((total, usage) => total + of(usage), 0);
  return {
    count,
    shared,
    prompts: sum(({ promptTokens }) => promptTokens),
    evaluated: sum(({ promptTokens, cachedTokens }) => promptTokens - cachedTokens),
    promptMs: usages.map(({ promptMs }) => promptMs),
  };
}

function sharedLength([first, ...others]) {
  let length = 0;
  while (length < first.length && others.every((tokens) => tokens[length] === first[length])) length++;
  return length;
}

console.log(
  JSON.stringify({
    turns: await conversation([]),
    toolTurns: await conversation(demoTools),
    together: await sharedSystemPrompt(),
  }),
);
