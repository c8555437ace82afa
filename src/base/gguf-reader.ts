// Reads the header of a GGUF file: the metadata, each value in its encoding (to copy a tokenizer from one model to
// another), and where the tensors end. Must not: decode values that are only copied; a real vocabulary has 150,000
// strings.
import { openRegularFile } from "./files/regular-file.js";

/** A value as stored in the file, type number included, so that it can be written back as `{ type: "raw" }`. */
export interface RawValue {
  readonly bytes: Uint8Array;
  /** The number of items of an array; undefined for other types. */
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
/** The engine's limit. A larger header has a wrong length that happens to lie within a large file. */
const maxHeader = 512 << 20;
const defaultAlignment = 32;

/** Elements and bytes per block of a tensor, by type; the same as in native/gguf/file.cpp. */
const blocks: Readonly<Record<number, readonly [elements: number, bytes: number]>> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 36],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
  40: [64, 36],
  41: [128, 18],
  42: [64, 18],
};

/** Returns the metadata of `path`, in the order of the file. */
export async function readGgufMetadata(path: string): Promise<Map<string, RawValue>> {
  return (await readHeader(path)).metadata;
}

/**
 * Throws, with the reason, unless the file has a valid header and contains all bytes of its tensors. For a tensor of
 * unknown type only the start must lie within the file.
 */
export async function checkGguf(path: string): Promise<void> {
  const { tensorsEnd, size } = await readHeader(path);
  if (tensorsEnd > size) throw new RangeError(`it has ${size} bytes, and its tensors end at ${tensorsEnd}`);
}

interface Header {
  readonly metadata: Map<string, RawValue>;
  readonly tensorsEnd: number;
  /** Size of the file in bytes. */
  readonly size: number;
}

async function readHeader(path: string): Promise<Header> {
  const handle = await openRegularFile(path);
  try {
    const { size } = await handle.stat();
    // The header does not state its length: read a part, and a larger one if it ends too soon.
    const most = Math.min(size, maxHeader);
    for (let wanted = Math.min(firstRead, most); ; wanted = Math.min(wanted * 4, most)) {
      const buffer = Buffer.alloc(wanted);
      const { bytesRead } = await handle.read(buffer, 0, wanted, 0);
      try {
        return { ...parse(buffer.subarray(0, bytesRead), path), size };
      } catch (error) {
        if (!(error instanceof RangeError) || wanted === most) throw error;
      }
    }
  } finally {
    await handle.close();
  }
}

function parse(buffer: Buffer, path: string): Omit<Header, "size"> {
  const cursor = new Cursor(buffer);
  if (buffer.toString("latin1", 0, 4) !== "GGUF") throw new TypeError(`${path} is not a GGUF file`);
  cursor.skip(4);
  const version = cursor.uint32();
  if (version !== 2 && version !== 3) throw new TypeError(`${path} is GGUF version ${version}, expected 2 or 3`);
  const tensors = cursor.uint64();
  const entries = new Map<string, RawValue>();
  for (let left = cursor.uint64(); left > 0; left--) {
    const key = cursor.string();
    const start = cursor.position;
    const length = cursor.skipValue();
    const bytes = buffer.subarray(start, cursor.position);
    entries.set(key, length === undefined ? { bytes } : { bytes, length });
  }
  let last = 0;
  for (let left = tensors; left > 0; left--) last = Math.max(last, cursor.tensorEnd());
  const alignment = entries.get("general.alignment");
  const step = (alignment && Buffer.from(alignment.bytes).readUInt32LE(4)) || defaultAlignment;
  return { metadata: entries, tensorsEnd: tensors === 0 ? 0 : Math.ceil(cursor.position / step) * step + last };
}

/** Reads values in order. A read beyond the end throws a RangeError. */
class Cursor {
  position = 0;
  readonly #buffer: Buffer;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  skip(bytes: number): void {
    if (this.position + bytes > this.#buffer.length) throw new RangeError("the file ends within its header");
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

  /** Reads the next tensor's description and returns where its data ends, relative to the start of all tensor data. */
  tensorEnd(): number {
    this.string();
    let elements = 1;
    for (let left = this.uint32(); left > 0; left--) elements *= this.uint64();
    const [per, bytes] = blocks[this.uint32()] ?? [1, 0];
    return this.uint64() + (elements / per) * bytes;
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
