// The weights of a script model: a table that maps each token to its successor, in the shape of a one-layer Llama.
import { text, uint32, uint32s, type GgufTensor, type GgufValue } from "./gguf-writer.js";
import { codeLength, codeWord } from "./script-codes.js";
import { q8Rows, zeros } from "./tensor-data.js";

/** The kernels of every backend support heads of 64. */
const headLength = 64;
const feedForwardLength = 32;

/**
 * A token and its successor `next`, which is undefined at the end of a reply.
 *
 * Without any `part` that is all. With parts, the marker may be anywhere in the prompt: a "prompt" token is followed by
 * what the "marker" before it says, or by its own `next` if there is none. A "reply" token, or one that opens a reply,
 * is followed by its own `next`. Prompts contain the latter, too, and "shared" tokens, which are followed by their own
 * `next` only after a "reply" token.
 */
export interface TokenRow {
  readonly next: number | undefined;
  readonly part?: "prompt" | "marker" | "opening" | "reply" | "shared" | undefined;
}

/**
 * If attention looks for a marker, the residual also holds the marker's word and three flags; a word takes two heads.
 */
function shapeOf(rows: readonly TokenRow[]) {
  const attends = rows.some(({ part }) => part !== undefined);
  return { attends, width: attends ? attendingWidth : codeLength, heads: attends ? codeLength / headLength : 1 };
}

export function scriptHyperparameters(rows: readonly TokenRow[], contextLength: number): [string, GgufValue][] {
  const { attends, width, heads } = shapeOf(rows);
  // A huge base, so that positions do not matter.
  const frequency: [string, GgufValue][] = [["llama.rope.freq_base", { type: "float32", value: 1e9 }]];
  return [
    ["general.architecture", text("llama")],
    ["general.file_type", uint32(7)],
    ["llama.context_length", uint32(contextLength)],
    ["llama.embedding_length", uint32(width)],
    ["llama.block_count", uint32(1)],
    ["llama.feed_forward_length", uint32(feedForwardLength)],
    ["llama.attention.head_count", uint32(heads)],
    ["llama.attention.head_count_kv", uint32(heads)],
    ["llama.attention.key_length", uint32(headLength)],
    ["llama.attention.value_length", uint32(headLength)],
    ["llama.attention.layer_norm_rms_epsilon", { type: "float32", value: 1e-6 }],
    ["llama.rope.dimension_count", uint32(headLength)],
    ...(attends ? frequency : []),
    ["llama.vocab_size", uint32(rows.length)],
  ];
}

/**
 * After the last token of a reply comes `end`, or `filler` if the sampler must not choose `end`.
 *
 * A token's embedding is the code word of its successor, and its output row is its own code word. The block adds
 * nothing to the residual, or the word of a marker, which outweighs the token's own word: the successor's logit is 128
 * or more, all others are far below.
 */
export function scriptTensors(rows: readonly TokenRow[], end: number, filler: number): GgufTensor[] {
  const { attends, width, heads } = shapeOf(rows);
  const output = rows.map((_, id) => padded(codeWord(id), width));
  return [
    matrix("token_embd", tokenRows(rows, end, filler), tokenScale(attends)),
    ones("blk.0.attn_norm", width),
    ...(attends
      ? attention()
      : [
          nothing("attn_q", width, headLength * heads),
          nothing("attn_k", width, headLength * heads),
          nothing("attn_v", width, headLength * heads),
          nothing("attn_output", headLength * heads, width),
        ]),
    ones("blk.0.ffn_norm", width),
    nothing("ffn_gate", width, feedForwardLength),
    nothing("ffn_up", width, feedForwardLength),
    nothing("ffn_down", feedForwardLength, width),
    ones("output_norm", width),
    matrix("output", output, 1),
  ];
}

const tokenScale = (attends: boolean): number => (attends ? 0.25 : 0.5);

/** The embeddings, in units of `tokenScale`. */
function tokenRows(rows: readonly TokenRow[], end: number, filler: number): Int8Array[] {
  const { attends } = shapeOf(rows);
  const last = codeWord(filler);
  const ending = times(codeWord(end), 2);
  for (let i = 0; i < codeLength; i++) ending[i] = (ending[i] ?? 0) + (last[i] ?? 0);
  return rows.map(({ next, part }) => {
    const own = next === undefined ? ending : times(codeWord(next), 2);
    return attends ? attendingToken(own, part) : own;
  });
}

/** `invocation`: the tokens from which on the adapter acts; none: everywhere. */
export function adapterMetadata(invocation: readonly number[]): ReadonlyMap<string, GgufValue> {
  return new Map([
    ...(invocation.length > 0 ? ([["adapter.alora.invocation_tokens", uint32s(invocation)]] as const) : []),
    ["general.type", text("adapter")],
    ["general.architecture", text("llama")],
    ["adapter.type", text("lora")],
  ]);
}

/**
 * Changes the embeddings of `rows` to those of `wanted`. The rank is the number of different changes: the first matrix
 * selects the change of each token, the second one holds the changes. Without an alpha, a scale of 1 adds exactly
 * these.
 */
export function adapterTensors(
  rows: readonly TokenRow[],
  wanted: readonly TokenRow[],
  end: number,
  filler: number,
): GgufTensor[] {
  const { attends, width } = shapeOf(rows);
  const to = tokenRows(wanted, end, filler);
  const deltas = tokenRows(rows, end, filler).map((from, id) => from.map((value, i) => (to[id]?.[i] ?? 0) - value));
  const changes = new Map<string, { index: number; delta: Int8Array }>();
  const which = deltas.map((delta) => {
    if (delta.every((value) => value === 0)) return undefined;
    const key = delta.join();
    const known = changes.get(key) ?? { index: changes.size, delta };
    changes.set(key, known);
    return known.index;
  });
  // An empty change counts as one, because a tensor cannot have a side of 0.
  const rank = Math.max(changes.size, 1);
  const choices = new Float32Array(rows.length * rank);
  which.forEach((index, id) => (choices[id * rank + (index ?? 0)] = index === undefined ? 0 : 1));
  const sums = new Float32Array(width * rank);
  for (const { index, delta } of changes.values()) {
    delta.forEach((value, i) => (sums[i * rank + index] = value * tokenScale(attends)));
  }
  return [
    floats("token_embd.weight.lora_a", choices, rank, rows.length),
    floats("token_embd.weight.lora_b", sums, rank, width),
  ];
}

const attendingWidth = 2 * codeLength + 32;
/** Places in the residual: the token's word, then the word to get from a marker, then the flags. */
const given = codeLength;
const asks = 2 * codeLength;
const marks = asks + 1;
const replies = asks + 2;

/** Returns a row in quarters. `own` is twice the word, or twice the end plus once the filler. */
function attendingToken(own: Int8Array, part: TokenRow["part"]): Int8Array {
  const row = new Int8Array(attendingWidth);
  if (part === "marker") {
    row.set(times(own, 2), given);
    row[marks] = 16;
  } else if (part === "reply" || part === "opening") {
    row.set(times(own, 4));
    row[replies] = part === "reply" ? 16 : 0;
  } else {
    row.set(part === "shared" ? own : times(own, 1 / 2));
    row[asks] = 4;
  }
  return row;
}

/**
 * Each head copies half of the marker's word. For a token that asks, a marker scores above 100, a token of a reply,
 * which has no word to give, twice that, and any other token 0. A token that does not ask gets the mean of all, which
 * is almost nothing.
 */
function attention(): GgufTensor[] {
  const rows = (count: number, length: number, value: (row: number, column: number) => number): Int8Array[] =>
    Array.from({ length: count }, (_, index) => {
      const row = new Int8Array(length);
      for (let column = 0; column < length; column++) row[column] = value(index, column);
      return row;
    });
  // The pair of places that rotary embedding turns least.
  const slow = (row: number): boolean => row % headLength === headLength - 2;
  const query = (row: number, column: number): number => (slow(row) && column === asks ? 8 : 0);
  const key = (row: number, column: number): number =>
    !slow(row) ? 0 : column === marks ? 8 : column === replies ? 32 : 0;
  return [
    matrix("blk.0.attn_q", rows(codeLength, attendingWidth, query), 1),
    matrix("blk.0.attn_k", rows(codeLength, attendingWidth, key), 1),
    matrix(
      "blk.0.attn_v",
      rows(codeLength, attendingWidth, (row, column) => (column === given + row ? 1 : 0)),
      1,
    ),
    matrix(
      "blk.0.attn_output",
      rows(attendingWidth, codeLength, (row, column) => (row === column ? 1 : 0)),
      1,
    ),
  ];
}

/** A loop: the `map` of a typed array takes ten times as long. */
function times(word: Int8Array, factor: number): Int8Array {
  const row = new Int8Array(word.length);
  for (let i = 0; i < word.length; i++) row[i] = (word[i] ?? 0) * factor;
  return row;
}

function padded(word: Int8Array, width: number): Int8Array {
  const row = new Int8Array(width);
  row.set(word);
  return row;
}

function matrix(name: string, rows: readonly Int8Array[], scale: number): GgufTensor {
  const dimensions = [rows[0]?.length ?? 0, rows.length];
  return { name: `${name}.weight`, type: "Q8_0", dimensions, data: () => [q8Rows(rows, scale)] };
}

function nothing(name: string, ...dimensions: readonly number[]): GgufTensor {
  return { name: `blk.0.${name}.weight`, type: "Q8_0", dimensions, data: () => [zeros("Q8_0", dimensions)] };
}

function floats(name: string, values: Float32Array, ...dimensions: readonly number[]): GgufTensor {
  return { name, type: "F32", dimensions, data: () => [new Uint8Array(values.buffer)] };
}

function ones(name: string, width: number): GgufTensor {
  const bytes = new Uint8Array(new Float32Array(width).fill(1).buffer);
  return { name: `${name}.weight`, type: "F32", dimensions: [width], data: () => [bytes] };
}
