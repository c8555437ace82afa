// Writes models of random weights in the shapes of real ones, for benchmarks and for tests of speed, memory and loading.
// Must not: be taken for models that say something. Tables made with them say "synthetic".
import { byteLevelText } from "./byte-level.js";
import { readGgufMetadata } from "./gguf-reader.js";
import {
  blockByteLength,
  tensorByteLength,
  text,
  uint32,
  writeGguf,
  type GgufTensor,
  type GgufValue,
  type TensorType,
} from "./gguf-writer.js";
import { chatMlTemplate } from "./script-template.js";
import { resolveShape, type ModelShape, type ShapeName } from "./synthetic-shapes.js";
import { float16 } from "./tensor-data.js";

export interface SyntheticModelOptions {
  /** The format of every matrix, embeddings included; norms are F32. Default "Q4_0". */
  readonly quantization?: "Q4_0" | "Q8_0" | "F16";
  /** The same seed gives the same file. Default 1. */
  readonly seed?: number;
  /** A GGUF file to copy the tokenizer from. Its number of tokens replaces that of the shape. Without it: bytes and made-up words. */
  readonly vocabularyFrom?: string;
  /** The model's name in its metadata. Default "synthetic" and the shape. */
  readonly name?: string;
}

/**
 * Writes a model of the "llama" architecture in the given shape, some gigabytes a second. The Qwen2.5 shape is written as
 * "llama" as well: it lacks the biases of Qwen's query, key and value, whose cost is not measurable.
 */
export async function writeSyntheticModel(
  path: string,
  shape: ShapeName | ModelShape,
  options: SyntheticModelOptions = {},
): Promise<void> {
  const { quantization = "Q4_0", seed = 1, vocabularyFrom } = options;
  const resolved = resolveShape(shape);
  const tokenizer =
    vocabularyFrom === undefined ? madeUpTokenizer(resolved.vocabulary) : await copiedTokenizer(vocabularyFrom);
  const name = options.name ?? `synthetic ${typeof shape === "string" ? shape : "model"} ${quantization}`;
  const metadata = new Map<string, GgufValue>([
    ["general.architecture", text("llama")],
    ["general.name", text(name)],
    ["general.file_type", { type: "uint32", value: { F16: 1, Q4_0: 2, Q8_0: 7 }[quantization] }],
    ...hyperparameters(resolved, tokenizer.length),
    ...tokenizer.entries,
    ["tokenizer.chat_template", text(chatMlTemplate)],
  ]);
  await writeGguf(path, { metadata, tensors: tensors(resolved, tokenizer.length, quantization, seed) });
}

interface Tokenizer {
  readonly entries: readonly (readonly [string, GgufValue])[];
  readonly length: number;
}

async function copiedTokenizer(path: string): Promise<Tokenizer> {
  const metadata = await readGgufMetadata(path);
  const length = metadata.get("tokenizer.ggml.tokens")?.length;
  if (length === undefined) throw new TypeError(`${path} holds no vocabulary`);
  const entries = [...metadata]
    .filter(([key]) => key.startsWith("tokenizer.") && !key.startsWith("tokenizer.chat_template"))
    .map(([key, { bytes }]): [string, GgufValue] => [key, { type: "raw", bytes }]);
  return { entries, length };
}

/** A token for each byte, so that any prompt can be given, and words that no prompt is made of but answers are. */
function madeUpTokenizer(length: number): Tokenizer {
  const controls = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"];
  const bytes = Array.from({ length: 256 }, (_, byte) => byteLevelText(Uint8Array.of(byte)));
  const known = [...bytes, byteLevelText(Buffer.from("  ")), ...controls];
  if (length < known.length) throw new TypeError(`A vocabulary needs ${known.length} tokens or more, got ${length}`);
  const tokens = Array.from({ length }, (_, id) => known[id] ?? byteLevelText(Buffer.from(` w${id}`)));
  const id = (token: string): GgufValue => uint32(tokens.indexOf(token));
  return {
    length,
    entries: [
      ["tokenizer.ggml.model", text("gpt2")],
      ["tokenizer.ggml.pre", text("llama-bpe")],
      ["tokenizer.ggml.tokens", { type: "strings", values: tokens }],
      [
        "tokenizer.ggml.token_type",
        { type: "int32s", values: tokens.map((token) => (controls.includes(token) ? 3 : 1)) },
      ],
      ["tokenizer.ggml.merges", { type: "strings", values: ["Ġ Ġ"] }],
      ["tokenizer.ggml.bos_token_id", id("<|endoftext|>")],
      ["tokenizer.ggml.eos_token_id", id("<|im_end|>")],
      ["tokenizer.ggml.padding_token_id", id("<|endoftext|>")],
      ["tokenizer.ggml.add_bos_token", { type: "bool", value: false }],
    ],
  };
}

function hyperparameters(shape: ModelShape, vocabulary: number): [string, GgufValue][] {
  return [
    ["llama.context_length", uint32(shape.contextLength ?? 8192)],
    ["llama.embedding_length", uint32(shape.embedding)],
    ["llama.block_count", uint32(shape.layers)],
    ["llama.feed_forward_length", uint32(shape.feedForward)],
    ["llama.attention.head_count", uint32(shape.heads)],
    ["llama.attention.head_count_kv", uint32(shape.kvHeads)],
    ["llama.attention.layer_norm_rms_epsilon", { type: "float32", value: 1e-5 }],
    ["llama.rope.dimension_count", uint32(shape.embedding / shape.heads)],
    ["llama.rope.freq_base", { type: "float32", value: shape.ropeBase ?? 10_000 }],
    ["llama.vocab_size", uint32(vocabulary)],
  ];
}

function tensors(shape: ModelShape, vocabulary: number, type: TensorType, seed: number): GgufTensor[] {
  const { layers, embedding, heads, kvHeads, feedForward } = shape;
  const kvWidth = (embedding / heads) * kvHeads;
  const noise = new Noise(type, seed);
  const matrix = (name: string, ...dimensions: readonly number[]): GgufTensor => ({
    name: `${name}.weight`,
    type,
    dimensions,
    data: () => noise.take(tensorByteLength(type, dimensions)),
  });
  const norm = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    type: "F32",
    dimensions: [embedding],
    data: () => [new Uint8Array(new Float32Array(embedding).fill(1).buffer)],
  });
  const block = (number: number): GgufTensor[] => {
    const prefix = `blk.${number}`;
    return [
      norm(`${prefix}.attn_norm`),
      matrix(`${prefix}.attn_q`, embedding, embedding),
      matrix(`${prefix}.attn_k`, embedding, kvWidth),
      matrix(`${prefix}.attn_v`, embedding, kvWidth),
      matrix(`${prefix}.attn_output`, embedding, embedding),
      norm(`${prefix}.ffn_norm`),
      matrix(`${prefix}.ffn_gate`, embedding, feedForward),
      matrix(`${prefix}.ffn_up`, embedding, feedForward),
      matrix(`${prefix}.ffn_down`, feedForward, embedding),
    ];
  };
  return [
    matrix("token_embd", embedding, vocabulary),
    ...Array.from({ length: layers }, (_, number) => block(number)).flat(),
    norm("output_norm"),
    ...(shape.tied === true ? [] : [matrix("output", embedding, vocabulary)]),
  ];
}

/** An endless tape of random weights. Making every number anew would take minutes: a stretch of blocks comes round again. */
class Noise {
  /** Prime, so that it never comes round at the same place of a row. */
  static readonly #blocks = 65_521;
  readonly #tape: Uint8Array;
  #position = 0;

  constructor(type: TensorType, seed: number) {
    this.#tape = randomBlocks(type, Noise.#blocks, seed);
  }

  *take(length: number): Generator<Uint8Array> {
    for (let left = length; left > 0;) {
      const chunk = this.#tape.subarray(this.#position, this.#position + left);
      left -= chunk.length;
      this.#position = (this.#position + chunk.length) % this.#tape.length;
      yield chunk;
    }
  }
}

/** Blocks of weights spread evenly over about ±0.04. */
function randomBlocks(type: TensorType, count: number, seed: number): Uint8Array {
  const size = type === "F16" ? 64 : blockByteLength(type);
  const bytes = Buffer.alloc(count * size);
  const next = generator(seed);
  for (let offset = 0; offset < bytes.length; offset += 2) bytes.writeUInt16LE(next() & 0xffff, offset);
  if (type === "F16") {
    // Sign and mantissa stay random, the exponent is that of 1/32: from ±0.031 to ±0.062.
    for (let offset = 0; offset < bytes.length; offset += 2) {
      bytes.writeUInt16LE((bytes.readUInt16LE(offset) & 0x83ff) | (10 << 10), offset);
    }
  } else {
    const scale = float16(type === "Q4_0" ? 0.005 : 0.0003);
    for (let offset = 0; offset < bytes.length; offset += size) bytes.writeUInt16LE(scale, offset);
  }
  return bytes;
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
