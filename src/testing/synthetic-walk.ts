// Weights that make a model of any shape walk from token to token by a rule: its layers compute but add nothing, and a
// token's embedding is the output row of its successor.
import { tensorByteLength, type TensorType } from "./gguf-writer.js";
import { Noise } from "./noise.js";

export interface WalkOptions {
  readonly type: TensorType;
  readonly seed: number;
  /**
   * The first `walk` tokens follow each other in a circle; each other one is followed by the next of the vocabulary.
   */
  readonly walk: number;
}

/** The matrices by which a layer adds to the residual. */
const lastOfLayer = /\.(?:attn_output|ffn_down|shortconv\.out_proj)\.weight$/;

/** Rows of noise are far apart from each other. After 65,521 rows they repeat, and the first one wins. */
export class WalkWeights {
  readonly #rows: Noise;
  readonly #rowBytes: number;
  readonly #vocabulary: number;
  readonly #walk: number;

  constructor(embedding: number, vocabulary: number, { type, seed, walk }: WalkOptions) {
    if (!Number.isInteger(walk) || walk < 2 || walk >= vocabulary)
      throw new TypeError(`walk must be 2 or more, and less than the ${vocabulary} tokens, got ${walk}`);
    this.#rows = new Noise(type, seed + 1);
    this.#rowBytes = tensorByteLength(type, [embedding]);
    this.#vocabulary = vocabulary;
    this.#walk = walk;
  }

  /** The bytes of a tensor. Undefined: random bytes will do. */
  data(name: string, bytes: number): Iterable<Uint8Array> | undefined {
    if (name === "output.weight") return this.#take(0, this.#vocabulary);
    if (name === "token_embd.weight") return this.#embeddings();
    return lastOfLayer.test(name) ? [new Uint8Array(bytes)] : undefined;
  }

  *#embeddings(): Generator<Uint8Array> {
    yield* this.#take(1, this.#walk - 1);
    yield* this.#take(0, 1);
    yield* this.#take(this.#walk + 1, this.#vocabulary - this.#walk - 1);
    yield* this.#take(0, 1);
  }

  #take(row: number, count: number): Generator<Uint8Array> {
    return this.#rows.takeFrom(row * this.#rowBytes, count * this.#rowBytes);
  }
}
