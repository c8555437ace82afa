// Damaged copies of small model files: each key and each tensor of the header is changed in each of a list of ways.
import { readFile } from "node:fs/promises";

interface Tensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly type: number;
  readonly offset: number;
}

interface Model {
  /** Each key with its value as it is in the file, type number included. */
  readonly entries: readonly (readonly [key: string, value: Buffer])[];
  readonly tensors: readonly Tensor[];
  readonly data: Buffer;
}

export interface Mutant {
  /** The base, the key or tensor, and the change. */
  readonly name: string;
  readonly bytes: () => Buffer;
}

const sizes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const stringType = 8;
const arrayType = 9;

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
const string = (text: string): Buffer => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);

const asU32 = (value: number): Buffer => Buffer.concat([u32(4), u32(value)]);
const asF32 = (value: number): Buffer => Buffer.concat([u32(6), f32(value)]);
const asString = (text: string): Buffer => Buffer.concat([u32(stringType), string(text)]);
const asArray = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([u32(arrayType), u32(type), u64(items.length), ...items]);

function parse(file: Buffer): Model {
  let at = 8;
  const number = (bytes: 4 | 8): number => {
    const value = bytes === 4 ? file.readUInt32LE(at) : Number(file.readBigUInt64LE(at));
    at += bytes;
    return value;
  };
  const name = (): string => {
    const length = number(8);
    at += length;
    return file.toString("utf8", at - length, at);
  };
  const skip = (type: number): void => {
    if (type === stringType) name();
    else at += sizes[type] ?? 0;
  };
  const count = number(8);
  const entries: (readonly [string, Buffer])[] = [];
  for (let left = number(8); left > 0; left--) {
    const key = name();
    const start = at;
    const type = number(4);
    if (type === arrayType) {
      const item = number(4);
      for (let items = number(8); items > 0; items--) skip(item);
    } else skip(type);
    entries.push([key, file.subarray(start, at)]);
  }
  const tensors = Array.from({ length: count }, (): Tensor => {
    const of = name();
    const dimensions = Array.from({ length: number(4) }, () => number(8));
    return { name: of, dimensions, type: number(4), offset: number(8) };
  });
  return { entries, tensors, data: file.subarray(Math.ceil(at / 32) * 32) };
}

function serialize({ entries, tensors, data }: Model): Buffer {
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.flatMap(([key, value]) => [string(key), value]),
    ...tensors.flatMap(({ name, dimensions, type, offset }) => [
      string(name),
      u32(dimensions.length),
      ...dimensions.map(u64),
      u32(type),
      u64(offset),
    ]),
  ]);
  return Buffer.concat([header, Buffer.alloc((32 - (header.length % 32)) % 32), data]);
}

/** Keys of an architecture that a file need not have; each is added with several values. */
const optionalKeys = [
  "attention.head_count_kv",
  "attention.key_length",
  "attention.value_length",
  "attention.key_length_swa",
  "attention.value_length_swa",
  "attention.sliding_window",
  "attention.sliding_window_pattern",
  "attention.relative_buckets_count",
  "attention.scale",
  "attention.clamp_kqv",
  "attention.max_alibi_bias",
  "attention.causal",
  "attention.group_norm_groups",
  "decoder_block_count",
  "decoder_start_token_id",
  "embedding_length_out",
  "embedding_length_per_layer_input",
  "expert_count",
  "expert_used_count",
  "expert_shared_count",
  "expert_feed_forward_length",
  "features_length",
  "leading_dense_block_count",
  "moe_every_n_layers",
  "nextn_predict_layers",
  "pooling_type",
  "rope.dimension_count",
  "rope.dimension_count_swa",
  "rope.dimension_sections",
  "rope.scaling.type",
  "rope.scaling.factor",
  "rope.scaling.original_context_length",
  "token_shift_count",
  "use_parallel_residual",
  "vocab_size",
  "dense_2_feat_in",
  "dense_2_feat_out",
  "dense_3_feat_in",
  "dense_3_feat_out",
  "classifier.output_labels",
];
const optionalTokenizerKeys = [
  "add_bos_token",
  "add_eos_token",
  "add_sep_token",
  "add_space_prefix",
  "precompiled_charsmap",
];

const numbers = [0, 1, 3, 37, 127, 128, 4096, 0x7fff_ffff, 0xffff_ffff];
const anything: readonly (readonly [string, Buffer])[] = [
  ...numbers.map((value): [string, Buffer] => [`u32 ${value}`, asU32(value)]),
  ["i32 -1", Buffer.concat([u32(5), u32(0xffff_ffff)])],
  ["u64 2", Buffer.concat([u32(10), u64(2)])],
  ["u8 2", Buffer.concat([u32(0), Buffer.of(2)])],
  ["f32 0", asF32(0)],
  ["f32 -1", asF32(-1)],
  ["f32 1e30", asF32(1e30)],
  ["f32 NaN", asF32(NaN)],
  ["true", Buffer.concat([u32(7), Buffer.of(1)])],
  ["false", Buffer.concat([u32(7), Buffer.of(0)])],
  ["an empty string", asString("")],
  ["a string", asString("x")],
  ["an empty array", asArray(4, [])],
  ["one u32", asArray(4, [u32(2)])],
  ["two u32", asArray(4, [u32(2), u32(1)])],
  ["two i32", asArray(5, [u32(2), u32(0xffff_ffff)])],
  ["two bools", asArray(7, [Buffer.of(1), Buffer.of(0)])],
  ["three u32", asArray(4, [u32(2), u32(2), u32(2)])],
  ["one string", asArray(stringType, [string("x")])],
  [
    "513 u32",
    asArray(
      4,
      Array.from({ length: 513 }, () => u32(2)),
    ),
  ],
];

/** The items of an array; null: it is none. */
function itemsOf(value: Buffer): { readonly type: number; readonly items: Buffer[] } | null {
  if (value.readUInt32LE(0) !== arrayType) return null;
  const type = value.readUInt32LE(4);
  let at = 16;
  const items: Buffer[] = [];
  for (let left = Number(value.readBigUInt64LE(8)); left > 0; left--) {
    const size = type === stringType ? 8 + Number(value.readBigUInt64LE(at)) : (sizes[type] ?? 0);
    items.push(value.subarray(at, at + size));
    at += size;
  }
  return { type, items };
}

function changesOf(value: Buffer): readonly (readonly [string, Buffer | null])[] {
  const array = itemsOf(value);
  if (array === null) return [["missing", null], ...anything];
  const { type, items } = array;
  const some = type === stringType ? string("") : Buffer.alloc(sizes[type] ?? 0, 0xff);
  const half = items.length >> 1;
  return [
    ["missing", null],
    ["without the last", asArray(type, items.slice(0, -1))],
    ["without the first", asArray(type, items.slice(1))],
    ["one more", asArray(type, [...items, some])],
    ["half", asArray(type, items.slice(0, half))],
    ["the first is odd", asArray(type, [some, ...items.slice(1)])],
    ["one in the middle is odd", asArray(type, [...items.slice(0, half), some, ...items.slice(half + 1)])],
    ["twice the first", asArray(type, [...items.slice(0, 1), ...items.slice(0, 1), ...items.slice(2)])],
    ["reversed", asArray(type, items.toReversed())],
    ...anything,
  ];
}

function changesOfTensor(tensor: Tensor): readonly (readonly [string, Tensor | null])[] {
  const { dimensions } = tensor;
  const [first = 1, ...rest] = dimensions;
  const shaped = (name: string, to: readonly number[]): [string, Tensor] => [name, { ...tensor, dimensions: to }];
  return [
    ["missing", null],
    shaped("half a row", [Math.ceil(first / 2), ...rest]),
    shaped("a row of one", [1, ...rest]),
    shaped("an odd row", [first - 1, ...rest]),
    shaped("one row less", rest.length === 0 ? [first] : [first, ...rest.slice(0, -1), (rest.at(-1) ?? 2) - 1]),
    shaped(
      "half of the rows",
      rest.length === 0 ? [first] : [first, ...rest.slice(0, -1), Math.ceil((rest.at(-1) ?? 2) / 2)],
    ),
    shaped("turned", dimensions.toReversed()),
    shaped("flat", [dimensions.reduce((product, one) => product * one, 1)]),
    shaped("four dimensions", [...dimensions, 1, 1, 1].slice(0, 4)),
    shaped("none in a row", [0, ...rest]),
    ["F16", { ...tensor, type: 1 }],
    ["Q8_0", { ...tensor, type: 8 }],
    ["I32", { ...tensor, type: 26 }],
    ["another name", { ...tensor, name: `x${tensor.name}` }],
  ];
}

/** Every mutant of a file, in a fixed order. */
export async function mutantsOf(base: string, file: string): Promise<Mutant[]> {
  const model = parse(await readFile(file));
  const { entries, tensors } = model;
  const architecture = itemAfterLength(entries.find(([key]) => key === "general.architecture")?.[1]);
  const mutants: Mutant[] = [];
  const add = (name: string, change: () => Model): void =>
    void mutants.push({ name: `${base}: ${name}`, bytes: () => serialize(change()) });
  entries.forEach(([key, value], index) => {
    for (const [how, to] of changesOf(value)) {
      add(`${key} ${how}`, () => ({
        ...model,
        entries: to === null ? entries.toSpliced(index, 1) : entries.toSpliced(index, 1, [key, to]),
      }));
    }
  });
  const more = [
    ...optionalKeys.map((key) => `${architecture}.${key}`),
    ...optionalTokenizerKeys.map((key) => `tokenizer.ggml.${key}`),
  ].filter((key) => entries.every(([other]) => other !== key));
  for (const key of more) {
    for (const [how, to] of anything)
      add(`${key} added: ${how}`, () => ({ ...model, entries: [...entries, [key, to]] }));
  }
  tensors.forEach((tensor, index) => {
    for (const [how, to] of changesOfTensor(tensor)) {
      add(`${tensor.name} ${how}`, () => ({
        ...model,
        tensors: to === null ? tensors.toSpliced(index, 1) : tensors.toSpliced(index, 1, to),
      }));
    }
  });
  return mutants;
}

function itemAfterLength(value: Buffer | undefined): string {
  return value === undefined ? "" : value.toString("utf8", 12);
}
