// What texts are to a model: vectors, and how relevant they are to a query. Must not: hold models; the engine does.
import { checkObject, optionalSignal, wrong } from "../base/check.js";
import { checkParameters, parameterKeys, parametersToWire } from "../base/check-parameters.js";
import { camelDeep, toJson } from "../base/wire.js";
import { embedChecks, type EmbedParameters, rerankChecks, type RerankParameters } from "../generated/parameters.js";
import type { RerankResult } from "../generated/results.js";
import type { NativeEngine } from "../native/addon.js";
import type { NativeErrors } from "../native/native-errors.js";
import { Task } from "../native/task.js";

/** How texts are embedded. */
export interface EmbedOptions extends EmbedParameters {
  /** Ends the call early: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** How documents are ranked. */
export interface RerankOptions extends RerankParameters {
  /** Ends the call early: it rejects with CANCELLED. */
  readonly signal?: AbortSignal;
}

/** What is the same for one text and for several. */
interface EmbeddingFacts {
  /** The model that made it. */
  readonly modelId: string;
  /** How the vectors of a text's tokens became one. */
  readonly pooling: "none" | "mean" | "cls" | "last";
  /** Numbers of a vector. */
  readonly dimensions: number;
}

/** What a text is to a model. */
export interface Embedding extends EmbeddingFacts {
  /** `dimensions` numbers; with pooling "none" so many for each token, one token after the other. */
  readonly embedding: Float32Array;
  /** The tokens of the text, special ones included. */
  readonly tokens: number;
}

/** What texts are to a model, in their order. */
export interface Embeddings extends EmbeddingFacts {
  /** Of each text `dimensions` numbers; with pooling "none" so many for each of its tokens, one token after the other. */
  readonly embeddings: readonly Float32Array[];
  /** The tokens of each text, special ones included. */
  readonly tokens: readonly number[];
}

/** The engine's answer. */
interface Answer extends EmbeddingFacts {
  readonly embeddings: readonly string[];
  readonly tokens: readonly number[];
}

const embedKeys = [...parameterKeys(embedChecks), "signal"] as const;
const rerankKeys = [...parameterKeys(rerankChecks), "signal"] as const;

/** Of the engine only. */
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
  // Holes are no texts either, and every() leaves them out.
  for (let i = 0; i < value.length; i++)
    if (typeof value[i] !== "string") throw wrong(`${what}[${i}]`, "a text", value[i]);
  return value as string[];
}

/** Little-endian 32-bit floats, in memory of their own. */
function vectorOf(base64: string): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  const vector = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  new Uint8Array(vector.buffer).set(bytes);
  return vector;
}
