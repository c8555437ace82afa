// Metadata and tensors of a BERT-like encoder, with the names that llama.cpp reads.
import { text, uint32, type GgufValue } from "./gguf-writer.js";
import { matrix, type Weight } from "./synthetic-layers.js";
import type { Tokenizer } from "./synthetic-tokenizer.js";
import type { ModelShape } from "./synthetic-shapes.js";

export function encoderHyperparameters({ layers, embedding, heads, feedForward, contextLength }: ModelShape) {
  const all: [string, GgufValue][] = [
    ["context_length", uint32(contextLength ?? 512)],
    ["embedding_length", uint32(embedding)],
    ["block_count", uint32(layers)],
    ["feed_forward_length", uint32(feedForward)],
    ["attention.head_count", uint32(heads)],
    ["attention.layer_norm_epsilon", { type: "float32", value: 1e-12 }],
    ["attention.causal", { type: "bool", value: false }],
  ];
  return all.map(([key, value]): [string, GgufValue] => [`bert.${key}`, value]);
}

/** Each printable ASCII character at the start of a word and within one, for WordPiece. */
export function encoderTokenizer(): Tokenizer {
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  const characters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
  const tokens = [...special, "▁", ...characters.map((one) => `▁${one}`), ...characters];
  const id = (token: string): GgufValue => uint32(tokens.indexOf(token));
  return {
    length: tokens.length,
    entries: [
      ["tokenizer.ggml.model", text("bert")],
      ["tokenizer.ggml.pre", text("jina-v2-en")],
      ["tokenizer.ggml.tokens", { type: "strings", values: tokens }],
      [
        "tokenizer.ggml.token_type",
        { type: "int32s", values: tokens.map((token) => (special.includes(token) ? 3 : 1)) },
      ],
      ["tokenizer.ggml.token_type_count", uint32(2)],
      ["tokenizer.ggml.bos_token_id", id("[CLS]")],
      ["tokenizer.ggml.unknown_token_id", id("[UNK]")],
      ["tokenizer.ggml.seperator_token_id", id("[SEP]")], // the format spells it this way
      ["tokenizer.ggml.padding_token_id", id("[PAD]")],
      ["tokenizer.ggml.cls_token_id", id("[CLS]")],
      ["tokenizer.ggml.mask_token_id", id("[MASK]")],
    ],
  };
}

export function encoderWeights(shape: ModelShape, vocabulary: number): Weight[] {
  const { embedding, layers, contextLength } = shape;
  return [
    matrix("token_embd", embedding, vocabulary),
    matrix("position_embd", embedding, contextLength ?? 512),
    matrix("token_types", embedding, 2),
    ...norm("token_embd_norm", embedding),
    ...Array.from({ length: layers }, (_, layer) =>
      block(shape).map((weight) => ({ ...weight, name: `blk.${layer}.${weight.name}` })),
    ).flat(),
  ];
}

function block({ embedding, feedForward }: ModelShape): Weight[] {
  return [
    ...linear("attn_q", embedding, embedding),
    ...linear("attn_k", embedding, embedding),
    ...linear("attn_v", embedding, embedding),
    ...linear("attn_output", embedding, embedding),
    ...norm("attn_output_norm", embedding),
    ...linear("ffn_up", embedding, feedForward),
    ...linear("ffn_down", feedForward, embedding),
    ...norm("layer_output_norm", embedding),
  ];
}

function linear(name: string, from: number, to: number): Weight[] {
  return [matrix(name, from, to), { name: `${name}.bias`, dimensions: [to], values: [0.01] }];
}

function norm(name: string, width: number): Weight[] {
  return [
    { name: `${name}.weight`, dimensions: [width], values: [1] },
    { name: `${name}.bias`, dimensions: [width], values: [0] },
  ];
}
