// Renders and tokenizes the training conversations exactly as the engine will at run time:
//   node prepare.mjs <model.gguf> <out.bin> [conversations] [seed]
// Writes one little-endian uint16 per token, the top bit set where the loss counts (the assistant's text and its end of turn),
// conversations separated by 0xffff.

import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { createEngine } from "../../dist/index.js";
import { conversations } from "./data.mjs";

const COUNTS = 0x8000;
const SEPARATOR = 0xffff;
const AT_ONCE = 32;
const CHECK_EVERY = 250;

const [model, out, count = "36000", seed = "20"] = process.argv.slice(2);
const engine = await createEngine({ model });
const render = (tools, messages, addGenerationPrompt) =>
  engine.models.renderPrompt(undefined, { messages, tools, addGenerationPrompt });
const tokenize = (text) => engine.models.tokenize(undefined, text, { parseSpecial: true, addSpecial: false });

const header = await tokenize("<|im_start|>assistant\n");
const [endOfTurn] = await tokenize("<|im_end|>");

function markTargets(tokens) {
  const marked = Uint16Array.from(tokens);
  for (let i = 0; i + header.length <= tokens.length; i++) {
    if (!header.every((token, k) => tokens[i + k] === token)) continue;
    for (let j = i + header.length; j < tokens.length; j++) {
      marked[j] |= COUNTS;
      if (tokens[j] === endOfTurn) break;
    }
  }
  return marked;
}

// What generation sees for each assistant turn must be a prefix of what was trained, token for token.
async function checkPrompts({ tools, messages }, tokens) {
  for (let k = 0; k < messages.length; k++) {
    if (messages[k].role !== "assistant") continue;
    const prompt = await tokenize(await render(tools, messages.slice(0, k), true));
    if (!prompt.every((token, i) => tokens[i] === token))
      throw new Error(`prompt of message ${k} is not a prefix: ${JSON.stringify(messages)}`);
  }
}

async function prepare(conversation) {
  const tokens = await tokenize(await render(conversation.tools, conversation.messages, false));
  return { conversation, tokens };
}

const file = createWriteStream(out);
let done = 0;
let total = 0;
let targets = 0;
let longest = 0;
let batch = [];
const flush = async () => {
  for (const { conversation, tokens } of await Promise.all(batch.map(prepare))) {
    if (done++ % CHECK_EVERY === 0) await checkPrompts(conversation, tokens);
    const marked = markTargets(tokens);
    total += marked.length;
    targets += marked.reduce((sum, token) => sum + (token >> 15), 0);
    longest = Math.max(longest, marked.length);
    if (!file.write(Buffer.from(Uint16Array.of(...marked, SEPARATOR).buffer))) await once(file, "drain");
  }
  batch = [];
};
for (const conversation of conversations(Number(seed), Number(count))) {
  batch.push(conversation);
  if (batch.length === AT_ONCE) await flush();
}
await flush();
file.end();
await once(file, "finish");
await engine.close();
console.log(`${done} conversations, ${total} tokens (${targets} count for the loss), longest ${longest} -> ${out}`);
