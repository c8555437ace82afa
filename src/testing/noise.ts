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
  readonly #tape: Uint8Array;
  #position = 0;

  constructor(type: TensorType, seed: number) {
    this.#tape = randomBlocks(type, Noise.#blocks, seed);
  }

  /** Returns the next `length` bytes. */
  *take(length: number): Generator<Uint8Array> {
    for (let left = length; left > 0;) {
      const chunk = this.#tape.subarray(this.#position, this.#position + left);
      left -= chunk.length;
      this.#position = (this.#position + chunk.length) % this.#tape.length;
      yield chunk;
    }
  }

  /** Returns `length` bytes from `position` on, where the tape then continues. */
  takeFrom(position: number, length: number): Generator<Uint8Array> {
    this.#position = position % this.#tape.length;
    return this.take(length);
  }
}

/** Blocks of weights spread evenly over about ±0.04. */
function randomBlocks(type: TensorType, count: number, seed: number): Uint8Array {
  const size = type === "F16" ? 64 : blockByteLength(type);
  const bytes = Buffer.alloc(count * size);
  const next = randomNumbers(seed);
  for (let offset = 0; offset < bytes.length; offset += 2) bytes.writeUInt16LE(next() & 0xffff, offset);
  if (type === "F16") {
    // Sign and mantissa stay random, the exponent is that of 1/32: from ±0.031 to ±0.062.
    for (let offset = 0; offset < bytes.length; offset += 2) {
      bytes.writeUInt16LE((bytes.readUInt16LE(offset) & 0x83ff) | (10 << 10), offset);
    }
  } else {
    const scale = float16(type === "Q4_0" ? 0.005 : 0.0003);
    for (let offset = 0; offset < bytes.length; offset += size) bytes.writeUInt16LE(scale, offset);
  }
  return bytes;
}

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
