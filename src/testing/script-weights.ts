// The weights of a script model: a table that maps each token to its successor, in the shape of a one-layer Llama.
// Must not: know texts or replies.
import { text, uint32, type GgufTensor, type GgufValue } from "./gguf-writer.js";
import { codeLength, codeWord } from "./script-codes.js";
import { q8Rows, zeros } from "./tensor-data.js";

/** Kernels of every backend know heads of 64. */
const headLength = 64;
const feedForwardLength = 32;

export function scriptHyperparameters(vocabulary: number, contextLength: number): [string, GgufValue][] {
  return [
    ["general.architecture", text("llama")],
    ["general.file_type", uint32(7)],
    ["llama.context_length", uint32(contextLength)],
    ["llama.embedding_length", uint32(codeLength)],
    ["llama.block_count", uint32(1)],
    ["llama.feed_forward_length", uint32(feedForwardLength)],
    ["llama.attention.head_count", uint32(1)],
    ["llama.attention.head_count_kv", uint32(1)],
    ["llama.attention.key_length", uint32(headLength)],
    ["llama.attention.value_length", uint32(headLength)],
    ["llama.attention.layer_norm_rms_epsilon", { type: "float32", value: 1e-6 }],
    ["llama.rope.dimension_count", uint32(headLength)],
    ["llama.vocab_size", uint32(vocabulary)],
  ];
}

/**
 * `successors` by token, undefined where a reply ends: then `end` follows or, if a sampler may not take it, `filler`.
 *
 * The embedding of a token is the code word of its successor, the output row of a token its own code word. The block adds
 * nothing to the residual, so the successor's logit is 128 and every other at most 16.
 */
export function scriptTensors(successors: readonly (number | undefined)[], end: number, filler: number): GgufTensor[] {
  const words = successors.map((_, id) => codeWord(id));
  const word = (id: number): Int8Array => words[id] ?? new Int8Array(codeLength);
  const ending = word(end).map((sign, i) => 2 * sign + (word(filler)[i] ?? 0));
  const embeddings = successors.map((next) => (next === undefined ? ending : word(next).map((sign) => 2 * sign)));
  return [
    table("token_embd.weight", embeddings, 0.5),
    ones("blk.0.attn_norm"),
    nothing("attn_q", codeLength, headLength),
    nothing("attn_k", codeLength, headLength),
    nothing("attn_v", codeLength, headLength),
    nothing("attn_output", headLength, codeLength),
    ones("blk.0.ffn_norm"),
    nothing("ffn_gate", codeLength, feedForwardLength),
    nothing("ffn_up", codeLength, feedForwardLength),
    nothing("ffn_down", feedForwardLength, codeLength),
    ones("output_norm"),
    table("output.weight", words, 1),
  ];
}

function table(name: string, rows: readonly Int8Array[], scale: number): GgufTensor {
  return { name, type: "Q8_0", dimensions: [codeLength, rows.length], data: () => [q8Rows(rows, scale)] };
}

function nothing(name: string, ...dimensions: readonly number[]): GgufTensor {
  return { name: `blk.0.${name}.weight`, type: "Q8_0", dimensions, data: () => [zeros("Q8_0", dimensions)] };
}

function ones(name: string): GgufTensor {
  const bytes = new Uint8Array(new Float32Array(codeLength).fill(1).buffer);
  return { name: `${name}.weight`, type: "F32", dimensions: [codeLength], data: () => [bytes] };
}
