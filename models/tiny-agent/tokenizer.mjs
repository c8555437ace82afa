// Makes the byte-level BPE vocabulary: node tokenizer.mjs <out.json> [size]
//
// Copying names is most of what this model does, and a name is easy to copy only if it is cut into the same tokens
// wherever it stands: after a space, after a quote, at the start of a line. So merges happen in this order:
// 1. runs of lower-case letters; 2. runs of punctuation; 3. one leading character (space, capital, underscore) with a whole
// frequent word. Digits stay single (the pre-tokenizer "qwen2" of llama.cpp sees to it).

import { writeFileSync } from "node:fs";
import { conversations } from "./data.mjs";

const SEED = 7;
const SAMPLE = 6000;
export const CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
export const MARKERS = ["<tool_call>", "</tool_call>"];

const PRETOKEN =
  /(?:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;

// GPT-2's printable stand-ins for the 256 bytes.
function byteAlphabet() {
  const alphabet = [];
  let extra = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    alphabet.push(String.fromCodePoint(printable ? byte : extra++));
  }
  return alphabet;
}

const ALPHABET = byteAlphabet();
const spell = (text) => [...Buffer.from(text, "utf8")].map((byte) => ALPHABET[byte]);

// The text between control tokens, as template.jinja lays it out.
function sampleTexts({ tools, messages }) {
  const list = tools.map((t) => `\n- ${t.name}(${Object.keys(t.parameters.properties).join(", ")}): ${t.description}`);
  const texts = list.length > 0 ? [`system\nTools:${list.join("")}`] : [];
  for (const m of messages) {
    texts.push(`${m.role}\n${m.content}`);
    for (const call of m.toolCalls ?? []) {
      const args = JSON.stringify(call.args).replaceAll(/":|",(?=")/g, "$& ");
      texts.push(`\n{"name": "${call.name}", "arguments": ${args}}\n`);
    }
  }
  return texts;
}

function countPretokens() {
  const counts = new Map();
  for (const conversation of conversations(SEED, SAMPLE)) {
    for (const text of sampleTexts(conversation)) {
      for (const [piece] of text.matchAll(PRETOKEN)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    }
  }
  return counts;
}

// Plain BPE over weighted words: join the most frequent pair, `limit` times.
function learnMerges(words, limit, allowed) {
  const merges = [];
  while (merges.length < limit) {
    const pairs = new Map();
    for (const { symbols, count } of words) {
      for (let i = 0; i + 1 < symbols.length; i++) {
        const pair = `${symbols[i]} ${symbols[i + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + count);
      }
    }
    let best = null;
    for (const [pair, count] of pairs) {
      if (allowed(pair.replace(" ", "")) && (best === null || count > best[1] || (count === best[1] && pair < best[0])))
        best = [pair, count];
    }
    if (best === null || best[1] < 20) break;
    const [left, right] = best[0].split(" ");
    for (const word of words) {
      for (let i = 0; i + 1 < word.symbols.length; i++) {
        if (word.symbols[i] === left && word.symbols[i + 1] === right) word.symbols.splice(i, 2, left + right);
      }
    }
    merges.push(best[0]);
  }
  return merges;
}

export function trainTokenizer(size) {
  const pretokens = [...countPretokens()].map(([piece, count]) => ({ piece, count, symbols: spell(piece) }));
  const lowerCase = /^[a-z]+$/;
  const budget = size - ALPHABET.length - CONTROL.length - MARKERS.length;
  const punctuation = pretokens.filter(({ piece }) => !/[\p{L}\p{N}]/u.test(piece));
  const words = pretokens.filter(({ piece }) => /[a-z]/.test(piece));

  const marks = learnMerges(punctuation, Math.floor(budget * 0.08), () => true);
  const letters = learnMerges(words, Math.floor(budget * 0.6), (joined) => lowerCase.test(joined));
  const leads = new Map();
  for (const { symbols, count } of words) {
    if (symbols.length !== 2 || lowerCase.test(symbols[0])) continue;
    const pair = symbols.join(" ");
    leads.set(pair, (leads.get(pair) ?? 0) + count);
  }
  const lead = [...leads]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, budget - marks.length - letters.length);

  const merges = [...letters, ...marks, ...lead.map(([pair]) => pair)];
  const tokens = [...ALPHABET, ...merges.map((pair) => pair.replace(" ", "")), ...CONTROL, ...MARKERS];
  if (new Set(tokens).size !== tokens.length) throw new Error("two merges give the same token");
  return { tokens, merges, control: CONTROL, markers: MARKERS, pretokenizer: "qwen2" };
}

if (process.argv[1] === import.meta.filename) {
  const [out, size = "768"] = process.argv.slice(2);
  const vocabulary = trainTokenizer(Number(size));
  writeFileSync(out, JSON.stringify(vocabulary));
  console.log(`${vocabulary.tokens.length} tokens, ${vocabulary.merges.length} merges -> ${out}`);
}
