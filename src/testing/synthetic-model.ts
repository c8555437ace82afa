// Writes models with random weights in the shapes of real ones, for benchmarks and for tests of speed, memory and
// loading. Their output is meaningless: result tables made with them say "synthetic".
import { tensorByteLength, text, writeGguf, type GgufTensor, type GgufValue } from "./gguf-writer.js";
import { Noise } from "./noise.js";
import { chatMlTemplate } from "./script-template.js";
import { hyperparameters, weights } from "./synthetic-layers.js";
import { resolveShape, type ModelShape, type ShapeName } from "./synthetic-shapes.js";
import { copiedTokenizer, madeUpTokenizer } from "./synthetic-tokenizer.js";
import { WalkWeights } from "./synthetic-walk.js";

/** Options of `writeSyntheticModel()`. */
export interface SyntheticModelOptions {
  /** The format of every matrix, embeddings included; norms are F32. Default "Q4_0". */
  readonly quantization?: "Q4_0" | "Q8_0" | "F16";
  /** The same seed gives the same file. Default 1. */
  readonly seed?: number;
  /**
   * A GGUF file to copy the tokenizer from. Its token count replaces that of the shape. Default: bytes and made-up
   * words.
   */
  readonly vocabularyFrom?: string;
  /** The chat template [ChatML]. With `vocabularyFrom`, its special tokens become tokens of the vocabulary. */
  readonly chatTemplate?: string;
  /** The model's name in its metadata. Default: "synthetic" and the shape. */
  readonly name?: string;
  /**
   * Makes the output predictable at temperature 0 (and mostly at 1): each of the first `walk` tokens is followed by the
   * next one, in a circle; any other token by the next one of the vocabulary. The speed is that of any model of the
   * shape. For tests and measurements that need text which repeats itself, or never does.
   */
  readonly walk?: number;
}

/**
 * Writes a model of the given shape, at some gigabytes per second. The Qwen2.5 shape is also written with the "llama"
 * architecture: it lacks Qwen's biases of query, key and value, whose cost is not measurable.
 *
 * @example
 * ```ts
 * await writeSyntheticModel("tiny.gguf", "tiny", { quantization: "Q8_0" });
 * ```
 */
export async function writeSyntheticModel(
  path: string,
  shape: ShapeName | ModelShape,
  options: SyntheticModelOptions = {},
): Promise<void> {
  const { quantization = "Q4_0", vocabularyFrom, chatTemplate } = options;
  const resolved = resolveShape(shape);
  const tokenizer =
    vocabularyFrom === undefined
      ? madeUpTokenizer(resolved.vocabulary)
      : await copiedTokenizer(vocabularyFrom, chatTemplate);
  const name = options.name ?? `synthetic ${typeof shape === "string" ? shape : "model"} ${quantization}`;
  const metadata = new Map<string, GgufValue>([
    ["general.architecture", text(resolved.architecture ?? "llama")],
    ["general.name", text(name)],
    ["general.file_type", { type: "uint32", value: { F16: 1, Q4_0: 2, Q8_0: 7 }[quantization] }],
    ...hyperparameters(resolved, tokenizer.length),
    ...tokenizer.entries,
    ["tokenizer.chat_template", text(chatTemplate ?? chatMlTemplate)],
  ]);
  await writeGguf(path, { metadata, tensors: toGguf(resolved, tokenizer.length, options) });
}

function toGguf(
  shape: ModelShape,
  vocabulary: number,
  { quantization: type = "Q4_0", seed = 1, walk }: SyntheticModelOptions,
): GgufTensor[] {
  const noise = new Noise(type, seed);
  const steps = walk === undefined ? undefined : new WalkWeights(shape.embedding, vocabulary, { type, seed, walk });
  const all = weights(walk === undefined ? shape : { ...shape, tied: false }, vocabulary);
  return all.map(({ name, dimensions, values }): GgufTensor => {
    // Among 150,000 tokens the next one is clearly the most likely only if all logits are larger.
    const scale = steps !== undefined && name === "output_norm.weight" ? 4 : 1;
    if (values !== undefined)
      return { name, dimensions, type: "F32", data: () => [repeated(values, dimensions, scale)] };
    const bytes = tensorByteLength(type, dimensions);
    return { name, dimensions, type, data: () => steps?.data(name, bytes) ?? noise.take(bytes) };
  });
}

function repeated(values: readonly number[], dimensions: readonly number[], scale: number): Uint8Array {
  const length = dimensions.reduce((product, dimension) => product * dimension, 1);
  return new Uint8Array(Float32Array.from({ length }, (_, i) => scale * (values[i % values.length] ?? 0)).buffer);
}
