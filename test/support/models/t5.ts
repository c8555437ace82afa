// Writes a small encoder-decoder like T5, which the engine refuses.
import { type GgufTensor, type GgufValue, text, uint32, writeGguf } from "../../../src/testing/gguf-writer.js";
import { madeUpTokenizer } from "../../../src/testing/synthetic-tokenizer.js";

const width = 64;
const feedForward = 128;
const heads = 2;
const buckets = 32;

/** Writes `file` and returns it. `part`: the whole model, or only the encoder, as used for embeddings. */
export async function writeT5(file: string, part: "t5" | "t5encoder"): Promise<string> {
  const tokenizer = madeUpTokenizer(320);
  await writeGguf(file, {
    metadata: new Map<string, GgufValue>([
      ["general.architecture", text(part)],
      [`${part}.context_length`, uint32(512)],
      [`${part}.embedding_length`, uint32(width)],
      [`${part}.block_count`, uint32(1)],
      [`${part}.feed_forward_length`, uint32(feedForward)],
      [`${part}.attention.head_count`, uint32(heads)],
      [`${part}.attention.relative_buckets_count`, uint32(buckets)],
      [`${part}.attention.layer_norm_rms_epsilon`, { type: "float32", value: 1e-6 }],
      ...tokenizer.entries,
    ]),
    tensors: [
      matrix("token_embd", width, tokenizer.length),
      ...half("enc", ["attn"]),
      ...(part === "t5" ? half("dec", ["attn", "cross_attn"]) : []),
    ],
  });
  return file;
}

function half(name: "enc" | "dec", attentions: readonly string[]): GgufTensor[] {
  return [
    matrix(`${name}.output_norm`, width),
    ...attentions.flatMap((attention) => [
      matrix(`${name}.blk.0.${attention}_norm`, width),
      ...["q", "k", "v", "o"].map((one) => matrix(`${name}.blk.0.${attention}_${one}`, width, width)),
    ]),
    matrix(`${name}.blk.0.attn_rel_b`, heads, buckets),
    matrix(`${name}.blk.0.ffn_norm`, width),
    matrix(`${name}.blk.0.ffn_up`, width, feedForward),
    matrix(`${name}.blk.0.ffn_down`, feedForward, width),
  ];
}

function matrix(name: string, ...dimensions: readonly number[]): GgufTensor {
  const count = dimensions.reduce((product, dimension) => product * dimension, 1);
  return {
    name: `${name}.weight`,
    dimensions,
    type: "F32",
    data: () => [new Uint8Array(Float32Array.from({ length: count }, (_, i) => Math.sin(i)).buffer)],
  };
}
