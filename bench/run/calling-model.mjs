// Models with random weights that call a tool at every request, with the computation of any other model of their shape:
// they walk the vocabulary from token to token (`walk` of writeSyntheticModel), and in this vocabulary the tokens of a
// call follow each other.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { syntheticModel } from "../../dist/bench/measure/models.js";
import { readGgufMetadata } from "../../dist/base/gguf-reader.js";
import { writeGguf } from "../../dist/testing/gguf-writer.js";
import { replyMarker, scriptTemplate } from "../../dist/testing/script-template.js";

/** The call that the model makes: the tool, its only argument, and the value, with one token per two characters. */
export const call = { tool: "look_up", argument: "code", value: values().join("") };

/** ChatML, with the token before each answer that the call follows in the vocabulary. */
export const callingTemplate = scriptTemplate([{ when: undefined, replies: [undefined] }]);

/** Writes such a model to `folder` and returns its file; `vocabulary`: a GGUF file with Qwen2's vocabulary. */
export async function callingModel(folder, shape, vocabulary) {
  const file = path.join(folder, "vocabulary.gguf");
  if (!existsSync(file)) await writeVocabulary(file, vocabulary);
  // The smallest possible circle, which contains none of the call's tokens.
  return syntheticModel(folder, shape, { vocabularyFrom: file, walk: 2 });
}

function values() {
  return Array.from({ length: 24 }, (_, index) => `${"KRTZ"[index % 4]}${Math.floor(index / 4)}`);
}

const endOfTurn = "<|im_end|>";
const [control, userDefined] = [3, 4];

/** As many tokens as a walk distinguishes. The last ones, rare words, are dropped. */
const size = 65_520;
const chain = [
  ...["<|im_start|>", replyMarker(0, 0)].map((text) => ({ text, type: control })),
  // Whole pieces of text, so that the tokenizer reads them as they were written.
  ...[
    `<tool_call>\n{"name": "${call.tool}`,
    `", "arguments": {"${call.argument}": "`,
    ...values(),
    '"}}\n</tool_call>',
  ].map((text) => ({ text, type: userDefined })),
  { text: endOfTurn, type: control },
];

async function writeVocabulary(file, from) {
  const entries = [...(await readGgufMetadata(from))].filter(([key]) => key.startsWith("tokenizer."));
  const metadata = new Map(entries.map(([key, { bytes }]) => [key, { type: "raw", bytes }]));
  const kept = size - chain.length;
  const tokens = stringsOf(metadata.get("tokenizer.ggml.tokens").bytes).slice(0, kept);
  const types = int32sOf(metadata.get("tokenizer.ggml.token_type").bytes).slice(0, kept);
  metadata.set("tokenizer.ggml.tokens", { type: "strings", values: [...tokens, ...chain.map(({ text }) => text)] });
  metadata.set("tokenizer.ggml.token_type", { type: "int32s", values: [...types, ...chain.map(({ type }) => type)] });
  for (const name of ["bos", "eos", "padding"])
    metadata.set(`tokenizer.ggml.${name}_token_id`, { type: "uint32", value: size - 1 });
  await mkdir(path.dirname(file), { recursive: true });
  await writeGguf(file, { metadata, tensors: [] });
}

/** The head of an array: its type, the type and the number of its items. */
const headBytes = 16;

function stringsOf(bytes) {
  const buffer = Buffer.from(bytes);
  const strings = [];
  for (let at = headBytes; at < buffer.length;) {
    const length = Number(buffer.readBigUInt64LE(at));
    strings.push(buffer.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return strings;
}

function int32sOf(bytes) {
  const buffer = Buffer.from(bytes);
  return Array.from({ length: (buffer.length - headBytes) / 4 }, (_, index) =>
    buffer.readInt32LE(headBytes + 4 * index),
  );
}
