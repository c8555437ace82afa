// The layers of each architecture of synthetic models, with the names that llama.cpp reads.
import { type GgufValue, uint32 } from "./gguf-writer.js";
import { type Architecture, defaultFullEvery, expertsUsed, type ModelShape, remembersAll } from "./synthetic-shapes.js";

/** A future tensor: a matrix of random weights, or `values` repeated, which are never quantized. */
export interface Weight {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly values?: readonly number[];
}

/** The weights of a short convolution over three inputs. */
const filter = [0.5, 0.75, 1];

export function hyperparameters(shape: ModelShape, vocabulary: number): [string, GgufValue][] {
  const { architecture = "llama", fullEvery = defaultFullEvery } = shape;
  const own: Readonly<Record<Architecture, readonly [string, GgufValue][]>> = {
    llama: [
      ["attention.head_count_kv", uint32(shape.kvHeads)],
      ...(shape.experts === undefined ? [] : expertCounts(shape.experts)),
    ],
    qwen3: [["attention.head_count_kv", uint32(shape.kvHeads)]],
    lfm2: [
      // A layer without key-value heads is a convolution.
      [
        "attention.head_count_kv",
        { type: "int32s", values: layersOf(shape).map((full) => (full ? shape.kvHeads : 0)) },
      ],
      ["shortconv.l_cache", uint32(filter.length)],
    ],
    gemma3: [
      ["attention.head_count_kv", uint32(shape.kvHeads)],
      ["attention.sliding_window", uint32(shape.window ?? 128)],
      ["attention.sliding_window_pattern", uint32(fullEvery)],
    ],
  };
  const all: [string, GgufValue][] = [
    ["context_length", uint32(shape.contextLength ?? 8192)],
    ["embedding_length", uint32(shape.embedding)],
    ["block_count", uint32(shape.layers)],
    ["feed_forward_length", uint32(shape.feedForward)],
    ["attention.head_count", uint32(shape.heads)],
    ...own[architecture],
    ["attention.layer_norm_rms_epsilon", { type: "float32", value: 1e-5 }],
    ["rope.dimension_count", uint32(shape.embedding / shape.heads)],
    ["rope.freq_base", { type: "float32", value: shape.ropeBase ?? 10_000 }],
    ["vocab_size", uint32(vocabulary)],
  ];
  return all.map(([key, value]) => [`${architecture}.${key}`, value]);
}

function expertCounts(experts: number): [string, GgufValue][] {
  return [
    ["expert_count", uint32(experts)],
    ["expert_used_count", uint32(expertsUsed)],
  ];
}

/** Returns for each layer whether it remembers every token. */
function layersOf({ architecture = "llama", layers, fullEvery = defaultFullEvery }: ModelShape): boolean[] {
  return Array.from({ length: layers }, (_, layer) => remembersAll(architecture) || (layer + 1) % fullEvery === 0);
}

export function weights(shape: ModelShape, vocabulary: number): Weight[] {
  const { architecture = "llama", embedding } = shape;
  return [
    matrix("token_embd", embedding, vocabulary),
    ...layersOf(shape).flatMap((full, layer) =>
      blocks[architecture](shape, full).map((weight) => ({ ...weight, name: `blk.${layer}.${weight.name}` })),
    ),
    norm(architecture === "lfm2" ? "token_embd_norm" : "output_norm", embedding),
    ...(shape.tied === true ? [] : [matrix("output", embedding, vocabulary)]),
  ];
}

export function matrix(name: string, ...dimensions: readonly number[]): Weight {
  return { name: `${name}.weight`, dimensions };
}

function norm(name: string, width: number): Weight {
  return { name: `${name}.weight`, dimensions: [width], values: [1] };
}

function attention({ embedding, heads, kvHeads }: ModelShape): Weight[] {
  const kvWidth = (embedding / heads) * kvHeads;
  return [
    norm("attn_norm", embedding),
    matrix("attn_q", embedding, embedding),
    matrix("attn_k", embedding, kvWidth),
    matrix("attn_v", embedding, kvWidth),
    matrix("attn_output", embedding, embedding),
  ];
}

/** These architectures normalise queries and keys head by head. */
function normedAttention(shape: ModelShape): Weight[] {
  const head = shape.embedding / shape.heads;
  return [...attention(shape), norm("attn_q_norm", head), norm("attn_k_norm", head)];
}

function convolution({ embedding }: ModelShape): Weight[] {
  return [
    norm("attn_norm", embedding),
    { name: "shortconv.conv.weight", dimensions: [filter.length, embedding], values: filter },
    matrix("shortconv.in_proj", embedding, 3 * embedding),
    matrix("shortconv.out_proj", embedding, embedding),
  ];
}

function feedForward({ embedding, feedForward: width }: ModelShape): Weight[] {
  return [
    norm("ffn_norm", embedding),
    matrix("ffn_gate", embedding, width),
    matrix("ffn_up", embedding, width),
    matrix("ffn_down", width, embedding),
  ];
}

function mixture({ embedding, feedForward: width }: ModelShape, experts: number): Weight[] {
  return [
    norm("ffn_norm", embedding),
    matrix("ffn_gate_inp", embedding, experts),
    matrix("ffn_gate_exps", embedding, width, experts),
    matrix("ffn_up_exps", embedding, width, experts),
    matrix("ffn_down_exps", width, embedding, experts),
  ];
}

/** One layer; `full`: it remembers every token. */
const blocks: Readonly<Record<Architecture, (shape: ModelShape, full: boolean) => Weight[]>> = {
  llama: (shape) => [
    ...attention(shape),
    ...(shape.experts === undefined ? feedForward(shape) : mixture(shape, shape.experts)),
  ],
  qwen3: (shape) => [...normedAttention(shape), ...feedForward(shape)],
  lfm2: (shape, full) => [...(full ? normedAttention(shape) : convolution(shape)), ...feedForward(shape)],
  gemma3: (shape) => [
    ...normedAttention(shape),
    norm("post_attention_norm", shape.embedding),
    ...feedForward(shape),
    norm("post_ffw_norm", shape.embedding),
  ],
};
