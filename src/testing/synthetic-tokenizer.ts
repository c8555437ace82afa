// The tokenizers of synthetic models: made up, or copied from a GGUF file, with the special tokens of a chat template.
import { readGgufMetadata, type RawValue } from "../base/gguf-reader.js";
import { byteLevelText } from "./byte-level.js";
import { text, uint32, type GgufValue } from "./gguf-writer.js";
import { specialTokens } from "./script-special-tokens.js";

export interface Tokenizer {
  readonly entries: readonly (readonly [string, GgufValue])[];
  readonly length: number;
}

/** A token for each byte, so that any prompt is possible, and words that occur only in answers. */
export function madeUpTokenizer(length: number): Tokenizer {
  const controls = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"];
  const bytes = Array.from({ length: 256 }, (_, byte) => byteLevelText(Uint8Array.of(byte)));
  const known = [...bytes, byteLevelText(Buffer.from("  ")), ...controls];
  if (length < known.length) throw new TypeError(`A vocabulary needs ${known.length} tokens or more, got ${length}`);
  const tokens = Array.from({ length }, (_, id) => known[id] ?? byteLevelText(Buffer.from(` w${id}`)));
  const id = (token: string): GgufValue => uint32(tokens.indexOf(token));
  return {
    length,
    entries: [
      ["tokenizer.ggml.model", text("gpt2")],
      ["tokenizer.ggml.pre", text("llama-bpe")],
      ["tokenizer.ggml.tokens", { type: "strings", values: tokens }],
      [
        "tokenizer.ggml.token_type",
        { type: "int32s", values: tokens.map((token) => (controls.includes(token) ? 3 : 1)) },
      ],
      ["tokenizer.ggml.merges", { type: "strings", values: ["Ġ Ġ"] }],
      ["tokenizer.ggml.bos_token_id", id("<|endoftext|>")],
      ["tokenizer.ggml.eos_token_id", id("<|im_end|>")],
      ["tokenizer.ggml.padding_token_id", id("<|endoftext|>")],
      ["tokenizer.ggml.add_bos_token", { type: "bool", value: false }],
    ],
  };
}

/** The tokenizer of the file at `path`, and those special tokens of `chatTemplate` that it lacks. */
export async function copiedTokenizer(path: string, chatTemplate: string | undefined): Promise<Tokenizer> {
  const metadata = await readGgufMetadata(path);
  const tokens = metadata.get(tokensKey);
  if (tokens?.length === undefined) throw new TypeError(`${path} holds no vocabulary`);
  const added = chatTemplate === undefined ? [] : lackedBy(tokens, chatTemplate);
  const values = new Map<string, (token: Special) => Buffer>([
    [tokensKey, ({ spelled }) => Buffer.concat([uint64Bytes(Buffer.byteLength(spelled)), Buffer.from(spelled)])],
    ["tokenizer.ggml.token_type", ({ type }) => Buffer.from(Int32Array.of(type).buffer)],
    ["tokenizer.ggml.scores", () => Buffer.alloc(4)],
  ]);
  const entries = [...metadata]
    .filter(([key]) => key.startsWith("tokenizer.") && !key.startsWith("tokenizer.chat_template"))
    .map(([key, value]): [string, GgufValue] => {
      const items = values.get(key);
      return [key, { type: "raw", bytes: items === undefined ? value.bytes : longer(value, added.map(items)) }];
    });
  return { entries, length: tokens.length + added.length };
}

const tokensKey = "tokenizer.ggml.tokens";
/** An array is encoded as its type, the type of its items, their number (64 bits), and the items. */
const countAt = 8;
const itemsAt = 16;

interface Special {
  readonly spelled: string;
  /** llama.cpp's type: 3 is a control token, 4 one that the user has defined. */
  readonly type: 3 | 4;
}

function lackedBy({ bytes }: RawValue, chatTemplate: string): Special[] {
  const known = new Set(textsOf(Buffer.from(bytes)));
  const { control, tags } = specialTokens(chatTemplate, []);
  const all = [
    ...control.map((spelled): Special => ({ spelled, type: 3 })),
    ...tags.map((spelled): Special => ({ spelled, type: 4 })),
  ];
  return all.filter(({ spelled }) => !known.has(spelled));
}

function* textsOf(array: Buffer): Generator<string> {
  for (let at = itemsAt; at < array.length;) {
    const end = at + 8 + Number(array.readBigUInt64LE(at));
    yield array.toString("utf8", at + 8, end);
    at = end;
  }
}

function longer({ bytes }: RawValue, items: readonly Buffer[]): Uint8Array {
  const whole = Buffer.concat([bytes, ...items]);
  whole.writeBigUInt64LE(whole.readBigUInt64LE(countAt) + BigInt(items.length), countAt);
  return whole;
}

function uint64Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
