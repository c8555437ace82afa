// Writes GGUF v3 files as a stream: metadata, then tensors. A model of several gigabytes needs only a few megabytes of
// memory.
import { replaceFile } from "../base/platform.js";
import { throughTemporaryFile } from "../base/files/temporary-file.js";

/**
 * A metadata value. `raw` is a value already in GGUF encoding, type number included, as `readGgufMetadata` returns it.
 */
export type GgufValue =
  | { readonly type: "uint32" | "int32" | "float32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "strings"; readonly values: readonly (string | Uint8Array)[] }
  | { readonly type: "uint32s" | "int32s" | "float32s"; readonly values: readonly number[] }
  | { readonly type: "raw"; readonly bytes: Uint8Array };

export function uint32(value: number): GgufValue {
  return { type: "uint32", value };
}

export function uint32s(values: readonly number[]): GgufValue {
  return { type: "uint32s", values };
}

export function text(value: string): GgufValue {
  return { type: "string", value };
}

export type TensorType = "F32" | "F16" | "Q4_0" | "Q8_0";

export interface GgufTensor {
  readonly name: string;
  /** Dimensions in ggml's order: the contiguous one first. */
  readonly dimensions: readonly number[];
  readonly type: TensorType;
  /** Returns the tensor's bytes in chunks, `tensorByteLength` bytes in all. Called once. */
  readonly data: () => Iterable<Uint8Array>;
}

export interface GgufFile {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

const alignment = 32;

const valueTypes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;

const elementTypes = { uint32s: "uint32", int32s: "int32", float32s: "float32" } as const;

/** Type number, elements per block, bytes per block. */
const tensorTypes: Readonly<Record<TensorType, { id: number; elements: number; bytes: number }>> = {
  F32: { id: 0, elements: 1, bytes: 4 },
  F16: { id: 1, elements: 1, bytes: 2 },
  Q4_0: { id: 2, elements: 32, bytes: 18 },
  Q8_0: { id: 8, elements: 32, bytes: 34 },
};

export function blockByteLength(type: TensorType): number {
  return tensorTypes[type].bytes;
}

export function tensorByteLength(type: TensorType, dimensions: readonly number[]): number {
  const { elements, bytes } = tensorTypes[type];
  const row = dimensions[0] ?? 0;
  if (row === 0 || row % elements !== 0) {
    throw new TypeError(`A ${type} tensor needs rows of a multiple of ${elements} elements, got ${row}`);
  }
  return (dimensions.reduce((product, dimension) => product * dimension, 1) / elements) * bytes;
}

/**
 * Writes the file beside its destination and renames it, so that readers and other writers of the path never see an
 * incomplete model. Who may read it is for the process's mask to say, as for any file that a program writes.
 */
export async function writeGguf(path: string, file: GgufFile): Promise<void> {
  await throughTemporaryFile(
    path,
    (handle) => writeAll(handle.write.bind(handle), file),
    (temporary) => replaceFile(temporary, path),
    0o666,
  );
}

async function writeAll(
  write: (bytes: Uint8Array) => Promise<{ bytesWritten: number }>,
  file: GgufFile,
): Promise<void> {
  const send = async (bytes: Uint8Array): Promise<void> => {
    for (let sent = 0; sent < bytes.length;) sent += (await write(bytes.subarray(sent))).bytesWritten;
  };
  const header = encodeHeader(file);
  await send(header);
  await send(padding(header.length));
  for (const tensor of file.tensors) {
    const expected = tensorByteLength(tensor.type, tensor.dimensions);
    let written = 0;
    for (const chunk of tensor.data()) {
      await send(chunk);
      written += chunk.length;
    }
    if (written !== expected) throw new RangeError(`Tensor ${tensor.name} has ${written} bytes, expected ${expected}`);
    await send(padding(written));
  }
}

function padding(length: number): Uint8Array {
  return new Uint8Array(padded(length) - length);
}

function padded(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

function encodeHeader(file: GgufFile): Uint8Array {
  const out = new Bytes();
  out.raw(Buffer.from("GGUF"));
  out.uint32(3);
  out.uint64(file.tensors.length);
  out.uint64(file.metadata.size);
  for (const [key, value] of file.metadata) {
    out.string(key);
    encodeValue(out, value);
  }
  let offset = 0;
  for (const { name, dimensions, type } of file.tensors) {
    out.string(name);
    out.uint32(dimensions.length);
    for (const dimension of dimensions) out.uint64(dimension);
    out.uint32(tensorTypes[type].id);
    out.uint64(offset);
    offset += padded(tensorByteLength(type, dimensions));
  }
  return out.finish();
}

function encodeValue(out: Bytes, value: GgufValue): void {
  switch (value.type) {
    case "raw":
      return out.raw(value.bytes);
    case "string":
      out.uint32(valueTypes.string);
      return out.string(value.value);
    case "bool":
      out.uint32(valueTypes.bool);
      return out.raw(Uint8Array.of(value.value ? 1 : 0));
    case "uint32":
    case "int32":
    case "float32":
      out.uint32(valueTypes[value.type]);
      return out.number(value.type, value.value);
    case "strings":
      out.array(valueTypes.string, value.values.length);
      for (const item of value.values) out.string(item);
      return;
    case "uint32s":
    case "int32s":
    case "float32s": {
      const type = elementTypes[value.type];
      out.array(valueTypes[type], value.values.length);
      for (const item of value.values) out.number(type, item);
      return;
    }
  }
}

/** A growing little-endian buffer. */
class Bytes {
  #buffer = Buffer.alloc(1 << 16);
  #length = 0;

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  uint32(value: number): void {
    this.number("uint32", value);
  }

  uint64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigUInt64LE(BigInt(value), this.#length);
  }

  number(type: "uint32" | "int32" | "float32", value: number): void {
    this.#reserve(4);
    if (type === "uint32") this.#length = this.#buffer.writeUInt32LE(value, this.#length);
    else if (type === "int32") this.#length = this.#buffer.writeInt32LE(value, this.#length);
    else this.#length = this.#buffer.writeFloatLE(value, this.#length);
  }

  string(value: string | Uint8Array): void {
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    this.uint64(bytes.length);
    this.raw(bytes);
  }

  array(type: number, length: number): void {
    this.uint32(valueTypes.array);
    this.uint32(type);
    this.uint64(length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const grown = Buffer.alloc(Math.max(this.#buffer.length * 2, this.#length + more));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}
