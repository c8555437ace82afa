// Bytes of tensors in ggml's block formats. Little-endian, like GGUF.
import { tensorByteLength, type TensorType } from "./gguf-writer.js";

/** Encodes a number as IEEE half precision. Exact for the numbers used here; rounds towards zero; no infinities. */
export function float16(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  if (exponent > 15 || exponent < -14) throw new RangeError(`${value} is out of range for half precision`);
  const mantissa = Math.floor((Math.abs(value) / 2 ** exponent - 1) * 1024);
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | mantissa;
}

/** Encodes rows of small integers, each multiplied by `scale`, as Q8_0. */
export function q8Rows(rows: readonly Int8Array[], scale: number): Uint8Array {
  const half = float16(scale);
  const length = rows[0]?.length ?? 0;
  const bytes = new Int8Array(tensorByteLength("Q8_0", [length, rows.length]));
  let offset = 0;
  for (const row of rows) {
    for (let start = 0; start < length; start += 32) {
      bytes[offset] = half & 0xff;
      bytes[offset + 1] = half >> 8;
      bytes.set(row.subarray(start, start + 32), offset + 2);
      offset += 34;
    }
  }
  return new Uint8Array(bytes.buffer);
}

export function zeros(type: TensorType, dimensions: readonly number[]): Uint8Array {
  return new Uint8Array(tensorByteLength(type, dimensions));
}
