// Reads the metadata of a GGUF file, each value left in its encoding, to copy a tokenizer from one model into another.
// Must not: read tensors, or decode what it only passes on (a real vocabulary holds 150,000 strings).
import { open } from "node:fs/promises";

/** A value as it stands in the file, its type number included, so that it can be written back as `{ type: "raw" }`. */
export interface RawValue {
  readonly bytes: Uint8Array;
  /** The number of items of an array, otherwise undefined. */
  readonly length?: number;
}

const fixedSizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const stringType = 8;
const arrayType = 9;
const firstRead = 1 << 20;

/** The metadata of `path`, in the order of the file. */
export async function readGgufMetadata(path: string): Promise<Map<string, RawValue>> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    // The header gives no length of its own: read a part, and more of the file whenever that part ends too soon.
    for (let wanted = Math.min(firstRead, size); ; wanted = Math.min(wanted * 4, size)) {
      const buffer = Buffer.alloc(wanted);
      const { bytesRead } = await handle.read(buffer, 0, wanted, 0);
      try {
        return parse(buffer.subarray(0, bytesRead), path);
      } catch (error) {
        if (!(error instanceof RangeError) || wanted === size) throw error;
      }
    }
  } finally {
    await handle.close();
  }
}

function parse(buffer: Buffer, path: string): Map<string, RawValue> {
  const cursor = new Cursor(buffer);
  if (buffer.toString("latin1", 0, 4) !== "GGUF") throw new TypeError(`${path} is not a GGUF file`);
  cursor.skip(4);
  const version = cursor.uint32();
  if (version !== 2 && version !== 3) throw new TypeError(`${path} is GGUF version ${version}, expected 2 or 3`);
  cursor.uint64();
  const entries = new Map<string, RawValue>();
  for (let left = cursor.uint64(); left > 0; left--) {
    const key = cursor.string();
    const start = cursor.position;
    const length = cursor.skipValue();
    const bytes = buffer.subarray(start, cursor.position);
    entries.set(key, length === undefined ? { bytes } : { bytes, length });
  }
  return entries;
}

/** Every read past the end throws a RangeError. */
class Cursor {
  position = 0;
  readonly #buffer: Buffer;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  skip(bytes: number): void {
    if (this.position + bytes > this.#buffer.length) throw new RangeError("The file ends within its metadata");
    this.position += bytes;
  }

  uint32(): number {
    const start = this.position;
    this.skip(4);
    return this.#buffer.readUInt32LE(start);
  }

  uint64(): number {
    const start = this.position;
    this.skip(8);
    return Number(this.#buffer.readBigUInt64LE(start));
  }

  string(): string {
    const length = this.uint64();
    const start = this.position;
    this.skip(length);
    return this.#buffer.toString("utf8", start, this.position);
  }

  skipValue(): number | undefined {
    const type = this.uint32();
    if (type !== arrayType) {
      this.#skipItems(type, 1);
      return undefined;
    }
    const itemType = this.uint32();
    const length = this.uint64();
    this.#skipItems(itemType, length);
    return length;
  }

  #skipItems(type: number, count: number): void {
    if (type === stringType) {
      for (let i = 0; i < count; i++) this.skip(this.uint64());
      return;
    }
    const size = fixedSizes[type];
    if (size === undefined) throw new TypeError(`Unknown GGUF value type ${type}`);
    this.skip(size * count);
  }
}
