// embed() and rerank(): checks their arguments and decodes the engine's answers.
import { checkObject, optionalSignal, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { camelDeep, toJson } from "../base/wire.js";
import { embedChecks, type EmbedParameters, rerankChecks, type RerankParameters } from "../generated/parameters.js";
import type { RerankResult } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import { Task } from "../native/task.js";

/** Options of `embed()`. */
export interface EmbedOptions extends EmbedParameters {
  /** Cancels the call: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** Options of `rerank()`. */
export interface RerankOptions extends RerankParameters {
  /** Cancels the call: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** Facts that hold for one text and for several. */
export interface EmbeddingFacts {
  /** The model that computed the embedding. */
  readonly modelId: string;
  /** The method that combined the vectors of a text's tokens. */
  readonly pooling: "none" | "mean" | "cls" | "last";
  /** Numbers per vector. */
  readonly dimensions: number;
}

/** The embedding of a text. */
export interface Embedding extends EmbeddingFacts {
  /** `dimensions` numbers. With pooling "none": `dimensions` numbers per token, token after token. */
  readonly embedding: Float32Array;
  /** Number of tokens of the text, special tokens included. */
  readonly tokens: number;
}

/** The embeddings of several texts, in their order. */
export interface Embeddings extends EmbeddingFacts {
  /**
   * One vector per text, of `dimensions` numbers. With pooling "none": `dimensions` numbers per token, token after
   * token.
   */
  readonly embeddings: readonly Float32Array[];
  /** Number of tokens of each text, special tokens included. */
  readonly tokens: readonly number[];
}

/** The answer of the engine. */
interface Answer extends EmbeddingFacts {
  readonly embeddings: readonly string[];
  readonly tokens: readonly number[];
}

const embedKeys = [...parameterKeys(embedChecks), "signal"] as const;
const rerankKeys = [...parameterKeys(rerankChecks), "signal"] as const;

/** Computes embeddings and rankings for the engine. */
export class EmbeddingCalls {
  readonly #native: NativeEngine;
  readonly #errors: NativeErrors;

  constructor(native: NativeEngine, errors: NativeErrors) {
    this.#native = native;
    this.#errors = errors;
  }

  async embed(input: string | readonly string[], options: EmbedOptions | undefined): Promise<Embedding | Embeddings> {
    const texts = typeof input === "string" ? [input] : textsOf(input, "The input of embed()");
    const given = checkObject(options, "embed() options", embedKeys);
    const plain = parametersToWire(checkParameters(embedChecks, given, ""));
    const json = toJson({ texts, ...plain, encoding: "base64" });
    const signal = optionalSignal(given.signal, "signal");
    const task = new Task((_, onEnd) => this.#native.embed(json, onEnd), { errors: this.#errors, signal });
    const { embeddings, tokens, ...facts } = camelDeep(JSON.parse(await task.ended)) as Answer;
    const vectors = embeddings.map(vectorOf);
    if (typeof input !== "string") return { ...facts, embeddings: vectors, tokens };
    return { ...facts, embedding: vectors[0] as Float32Array, tokens: tokens[0] as number };
  }

  async rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<RerankResult> {
    if (typeof query !== "string") throw wrong("The query of rerank()", "a text", query);
    const texts = textsOf(documents, "The documents of rerank()");
    const given = checkObject(options, "rerank() options", rerankKeys);
    const plain = parametersToWire(checkParameters(rerankChecks, given, ""));
    const json = toJson({ query, documents: texts, ...plain });
    const signal = optionalSignal(given.signal, "signal");
    const task = new Task((_, onEnd) => this.#native.rerank(json, onEnd), { errors: this.#errors, signal });
    return camelDeep(JSON.parse(await task.ended)) as RerankResult;
  }
}

function textsOf(value: unknown, what: string): readonly string[] {
  if (!Array.isArray(value)) throw wrong(what, "a text or an array of texts", value);
  // every() would skip holes.
  for (let i = 0; i < value.length; i++)
    if (typeof value[i] !== "string") throw wrong(`${what}[${i}]`, "a text", value[i]);
  return value as string[];
}

/** Decodes little-endian 32-bit floats into a new buffer. */
function vectorOf(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  const vector = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  new Uint8Array(vector.buffer).set(bytes);
  return vector;
}
