// Small models of every architecture of llama.cpp that only embeds, with the tensors that its src/models/*.cpp asks for.
import { text, uint32, type GgufValue } from "../../../src/testing/gguf-writer.js";
import { encoderTokenizer } from "../../../src/testing/embedding-encoder.js";
import { madeUpTokenizer, type Tokenizer } from "../../../src/testing/synthetic-tokenizer.js";
import { type Shape, writeShapedModel } from "./shaped-model.js";

const width = 64;
const hidden = 128;
const layers = 2;
const context = 512;
const experts = 4;

const norm = (name: string): Shape[] => [
  [name, width],
  [`${name}.bias`, width],
];
const parts: Shape[] = ["attn_q", "attn_k", "attn_v"].map((name) => [name, width, width]);
const joined: Shape = ["attn_qkv", width, 3 * width];
const output: Shape = ["attn_output", width, width];
const down: Shape = ["ffn_down", hidden, width];
const up: Shape = ["ffn_up", width, hidden];
const gate: Shape = ["ffn_gate", width, hidden];
const bertBlock: Shape[] = [...parts, output, ...norm("attn_output_norm"), up, down, ...norm("layer_output_norm")];

interface Architecture {
  readonly epsilon: "layer_norm_epsilon" | "layer_norm_rms_epsilon";
  readonly extra?: readonly (readonly [key: string, value: GgufValue])[];
  readonly outside: readonly Shape[];
  readonly block: (layer: number) => readonly Shape[];
}

const bertLike = (block: Architecture["block"], extra: Architecture["extra"] = []): Architecture => ({
  epsilon: "layer_norm_epsilon",
  extra,
  outside: [["token_types", width, 2], ...norm("token_embd_norm")],
  block,
});

const moe: Shape[] = [
  ["ffn_up_exps", width, hidden, experts],
  ["ffn_down_exps", hidden, width, experts],
  ["ffn_gate_inp", width, experts],
];

const f32 = (value: number): GgufValue => ({ type: "float32", value });

export const encoders: Readonly<Record<string, Architecture>> = {
  "nomic-bert": bertLike(() => [...bertBlock, gate]),
  "nomic-bert-moe": bertLike(
    (layer) => [...bertBlock.filter(([name]) => layer === 0 || !name.startsWith("ffn")), ...(layer === 1 ? moe : [])],
    [
      ["moe_every_n_layers", uint32(2)],
      ["expert_count", uint32(experts)],
      ["expert_used_count", uint32(2)],
    ],
  ),
  "jina-bert-v2": bertLike(() => [...bertBlock, gate, ["attn_output.bias", width], ["ffn_down.bias", width]]),
  "jina-bert-v3": bertLike(() => bertBlock),
  "neo-bert": {
    epsilon: "layer_norm_rms_epsilon",
    outside: [["enc.output_norm", width]],
    block: () => [["attn_norm", width], joined, output, ["ffn_norm", width], ["ffn_up", width, 2 * hidden], down],
  },
  "modern-bert": {
    epsilon: "layer_norm_epsilon",
    extra: [
      ["attention.sliding_window", uint32(128)],
      ["attention.sliding_window_pattern", uint32(3)],
      ["rope.freq_base_swa", f32(10_000)],
    ],
    outside: [
      ["token_embd_norm", width],
      ["output_norm", width],
    ],
    block: () => [["attn_norm", width], joined, output, ["ffn_norm", width], ["ffn_up", width, 2 * hidden], down],
  },
  eurobert: {
    epsilon: "layer_norm_rms_epsilon",
    outside: [["output_norm", width]],
    block: () => [["attn_norm", width], ...parts, output, ["ffn_norm", width], gate, up, down],
  },
  "gemma-embedding": {
    epsilon: "layer_norm_rms_epsilon",
    extra: [
      ["attention.key_length", uint32(width / 2)],
      ["attention.value_length", uint32(width / 2)],
      ["attention.sliding_window", uint32(128)],
      ["attention.sliding_window_pattern", uint32(2)],
      ["dense_2_feat_in", uint32(width)],
      ["dense_2_feat_out", uint32(hidden)],
      ["dense_3_feat_in", uint32(hidden)],
      ["dense_3_feat_out", uint32(width)],
    ],
    outside: [
      ["output_norm", width],
      ["dense_2", width, hidden],
      ["dense_3", hidden, width],
    ],
    block: () => [
      ...["attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"].map((name): Shape => [name, width]),
      ...parts,
      output,
      ["attn_k_norm", width / 2],
      ["attn_q_norm", width / 2],
      gate,
      up,
      down,
    ],
  },
};

/** A vocabulary of the llama tokenizer (SPM): letters, and the 256 byte tokens or some of them. */
export function spelling(bytes: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte)): Tokenizer {
  const special = ["<unk>", "<s>", "</s>"];
  const spelt = bytes.map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const letters = ["▁", ..."abcdefghijklmnopqrstuvwxyz"];
  const tokens = [...special, ...spelt, ...letters];
  return {
    length: tokens.length,
    entries: [
      ["tokenizer.ggml.model", text("llama")],
      ["tokenizer.ggml.tokens", { type: "strings", values: tokens }],
      ["tokenizer.ggml.scores", { type: "float32s", values: tokens.map((_, id) => -id) }],
      [
        "tokenizer.ggml.token_type",
        { type: "int32s", values: tokens.map((_, id) => (id < 3 ? 3 : id < 3 + spelt.length ? 6 : 1)) },
      ],
      ["tokenizer.ggml.bos_token_id", uint32(1)],
      ["tokenizer.ggml.eos_token_id", uint32(2)],
    ],
  };
}

/** Writes a model of that architecture, and returns the path. */
export async function writeEncoder(file: string, architecture: string, vocabulary?: Tokenizer): Promise<string> {
  const made = encoders[architecture];
  if (made === undefined) throw new TypeError(`no architecture ${architecture}`);
  const isBert = architecture.includes("bert") && architecture !== "eurobert" && architecture !== "modern-bert";
  const tokenizer = vocabulary ?? (isBert ? encoderTokenizer() : madeUpTokenizer(320));
  const keys: [string, GgufValue][] = [
    ["context_length", uint32(context)],
    ["embedding_length", uint32(width)],
    ["block_count", uint32(layers)],
    ["feed_forward_length", uint32(hidden)],
    ["attention.head_count", uint32(2)],
    ["attention.head_count_kv", uint32(2)],
    [`attention.${made.epsilon}`, f32(1e-6)],
    ["attention.causal", { type: "bool", value: false }],
    ["pooling_type", uint32(1)],
    ...(made.extra ?? []).map(([key, value]): [string, GgufValue] => [key, value]),
  ];
  const shapes: Shape[] = [
    ["token_embd", width, tokenizer.length],
    ...made.outside,
    ...Array.from({ length: layers }, (_, layer) =>
      made.block(layer).map(([name, ...dimensions]): Shape => [`blk.${layer}.${name}`, ...dimensions]),
    ).flat(),
  ];
  return writeShapedModel(file, architecture, tokenizer, keys, shapes);
}
