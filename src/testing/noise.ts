// Gigabytes of random weights in ggml's formats.
import { blockByteLength, type TensorType } from "./gguf-writer.js";
import { float16 } from "./tensor-data.js";

/**
 * An endless tape of random weights. It repeats a stretch of blocks, because generating every number would take
 * minutes.
 */
export class Noise {
  /** A prime, so that the repetitions never align with rows. */
  static readonly #blocks = 65_521;
  readonly #type: TensorType;
  readonly #tape: Uint8Array;
  readonly #words: Uint16Array;
  readonly #next: () => number;
  /** The bytes of the tape that are made: a small model needs the first few. */
  #made = 0;
  #position = 0;

  constructor(type: TensorType, seed: number) {
    this.#type = type;
    this.#words = new Uint16Array((Noise.#blocks * bytesOf(type)) / 2);
    this.#tape = new Uint8Array(this.#words.buffer);
    this.#next = randomNumbers(seed);
  }

  /** Returns the next `length` bytes. */
  *take(length: number): Generator<Uint8Array> {
    for (let left = length; left > 0;) {
      const end = Math.min(this.#position + left, this.#tape.length);
      this.#make(end);
      const chunk = this.#tape.subarray(this.#position, end);
      left -= chunk.length;
      this.#position = end % this.#tape.length;
      yield chunk;
    }
  }

  /** Returns `length` bytes from `position` on, where the tape then continues. */
  takeFrom(position: number, length: number): Generator<Uint8Array> {
    this.#position = position % this.#tape.length;
    return this.take(length);
  }

  /** Makes blocks of weights spread evenly over about ±0.04, up to `end`. */
  #make(end: number): void {
    const words = this.#words;
    const size = bytesOf(this.#type) / 2;
    const scale = float16(this.#type === "Q4_0" ? 0.005 : 0.0003);
    for (let block = this.#made / 2; 2 * block < end; block += size) {
      for (let i = block; i < block + size; i++) words[i] = this.#next() & 0xffff;
      if (this.#type !== "F16") {
        words[block] = scale;
      } else {
        // Sign and mantissa stay random, the exponent is that of 1/32: from ±0.031 to ±0.062.
        for (let i = block; i < block + size; i++) words[i] = ((words[i] ?? 0) & 0x83ff) | (10 << 10);
      }
      this.#made = 2 * (block + size);
    }
  }
}

const bytesOf = (type: TensorType): number => (type === "F16" ? 64 : blockByteLength(type));

/** Reproducible 32-bit integers for a seed: Mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
