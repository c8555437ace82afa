// Writes small embedders and rerankers with random weights, for tests of code that uses vectors and scores. Their
// vectors do not reflect meaning.
import {
  checkObject,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalName,
  optionalString,
  requiredString,
} from "../base/check.js";
import { encoderHyperparameters, encoderTokenizer, encoderWeights } from "./embedding-encoder.js";
import { text, uint32, writeGguf, type GgufTensor, type GgufValue } from "./gguf-writer.js";
import { randomNumbers } from "./noise.js";
import { hyperparameters, matrix, type Weight, weights } from "./synthetic-layers.js";
import { madeUpTokenizer } from "./synthetic-tokenizer.js";
import type { ModelShape } from "./synthetic-shapes.js";

/** Options of `writeEmbeddingModel()`. */
export interface EmbeddingModelOptions {
  /**
   * "encoder": sees a whole text at once and cannot generate (BERT). "decoder": reads from left to right (Qwen3).
   * Default "encoder".
   */
  readonly kind?: "encoder" | "decoder";
  /** The pooling stated in the file. Default: "mean" for an encoder, "last" for a decoder, "rank" for a reranker. */
  readonly pooling?: "none" | "mean" | "cls" | "last" | "rank";
  /** True: the model has a rank head. Default false. */
  readonly reranks?: boolean;
  /** A reranker's template for a query and a document, with `{query}` and `{document}`. Default: none. */
  readonly rerankTemplate?: string;
  /** Numbers per vector, a multiple of 32. Default 64. */
  readonly dimensions?: number;
  /** The context length stated in the file. Default 512. */
  readonly contextLength?: number;
  /** The same seed gives the same file. Default 1. */
  readonly seed?: number;
  /** The model's name in its metadata. Default "embeddings". */
  readonly name?: string;
}

const poolings = ["none", "mean", "cls", "last", "rank"] as const;
const known = ["kind", "pooling", "reranks", "rerankTemplate", "dimensions", "contextLength", "seed", "name"] as const;

/**
 * Writes a model of some hundred KB that computes vectors or scores. They carry no meaning, but are reproducible for
 * the same text and seed. An encoder knows the letters, digits and punctuation of ASCII; any other word is one unknown
 * token.
 *
 * @example
 * ```ts
 * await writeEmbeddingModel("embedder.gguf", { dimensions: 64 });
 * await writeEmbeddingModel("reranker.gguf", { reranks: true });
 * const engine = await createEngine({ models: { embedder: "embedder.gguf", reranker: "reranker.gguf" } });
 * ```
 */
export async function writeEmbeddingModel(path: string, options: EmbeddingModelOptions = {}): Promise<void> {
  requiredString(path, "The path of an embedding model");
  const given = checkObject(options, "writeEmbeddingModel() options", known);
  const kind = optionalOneOf(given.kind, '"kind"', ["encoder", "decoder"]) ?? "encoder";
  const reranks = optionalBoolean(given.reranks, '"reranks"') ?? false;
  const usual = reranks ? "rank" : kind === "encoder" ? "mean" : "last";
  const pooling = optionalOneOf(given.pooling, '"pooling"', poolings) ?? usual;
  const template = optionalString(given.rerankTemplate, '"rerankTemplate"');
  const embedding = optionalInteger(given.dimensions, '"dimensions"', 32, 4096) ?? 64;
  if (embedding % 32 !== 0) throw new TypeError(`"dimensions" must be a multiple of 32, got ${embedding}`);
  const contextLength = optionalInteger(given.contextLength, '"contextLength"', 8) ?? 512;
  const seed = optionalInteger(given.seed, '"seed"', 0) ?? 1;
  const name = optionalName(given.name, '"name"') ?? "embeddings";

  const shape: ModelShape = {
    architecture: "qwen3",
    layers: 2,
    embedding,
    heads: 2,
    kvHeads: 2,
    feedForward: 2 * embedding,
    vocabulary: 320,
    contextLength,
    tied: true,
  };
  const encodes = kind === "encoder";
  const tokenizer = encodes ? encoderTokenizer() : madeUpTokenizer(shape.vocabulary);
  const architecture = encodes ? "bert" : "qwen3";
  const metadata = new Map<string, GgufValue>([
    ["general.architecture", text(architecture)],
    ["general.name", text(name)],
    ["general.file_type", uint32(0)],
    ...(encodes ? encoderHyperparameters(shape) : hyperparameters(shape, tokenizer.length)),
    [`${architecture}.pooling_type`, uint32(poolings.indexOf(pooling))],
    ...(reranks && !encodes ? [labels(architecture)] : []),
    ...tokenizer.entries,
    ...(template === undefined ? [] : [rerankTemplate(template)]),
  ]);
  const body = encodes ? encoderWeights(shape, tokenizer.length) : weights(shape, tokenizer.length);
  const head = reranks ? rankHead(embedding, encodes) : [];
  await writeGguf(path, { metadata, tensors: toGguf([...body, ...head], seed) });
}

/** The classes of a ranking decoder: llama.cpp computes their probabilities, and the first one is the score. */
const labels = (architecture: string): [string, GgufValue] => [
  `${architecture}.classifier.output_labels`,
  { type: "strings", values: ["yes", "no"] },
];

const rerankTemplate = (template: string): [string, GgufValue] => ["tokenizer.chat_template.rerank", text(template)];

function rankHead(width: number, encodes: boolean): Weight[] {
  if (!encodes) return [matrix("cls.output", width, 2)];
  return [
    matrix("cls", width, width),
    { name: "cls.bias", dimensions: [width], values: [0] },
    matrix("cls.output", width, 1),
    { name: "cls.output.bias", dimensions: [1], values: [0] },
  ];
}

/** All weights are 32-bit floats, so that results do not depend on how quantized formats are multiplied. */
function toGguf(all: readonly Weight[], seed: number): GgufTensor[] {
  const next = randomNumbers(seed);
  return all.map(({ name, dimensions, values }): GgufTensor => {
    const length = dimensions.reduce((product, dimension) => product * dimension, 1);
    const value = (i: number): number => values?.[i % values.length] ?? (next() / 2 ** 32 - 0.5) / 5;
    const numbers = Float32Array.from({ length }, (_, i) => value(i));
    return { name, dimensions, type: "F32", data: () => [new Uint8Array(numbers.buffer)] };
  });
}
