// The shapes of well-known models, for measuring: speed depends on the shape and the format, not on the weights.
// Must not: hold anything about how files are written.

export interface ModelShape {
  readonly layers: number;
  readonly embedding: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly feedForward: number;
  /** The number of tokens; a vocabulary that is copied from a file brings its own. */
  readonly vocabulary: number;
  /** Input and output embeddings are one tensor. Default false. */
  readonly tied?: boolean;
  /** The context length the model claims to be trained for. Default 8192. */
  readonly contextLength?: number;
  /** Base of the rotary embedding. Default 10000. */
  readonly ropeBase?: number;
}

export type ShapeName = "tiny" | "0.5b" | "1.1b" | "8b";

export const shapes: Readonly<Record<ShapeName, ModelShape>> = {
  tiny: { layers: 4, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 32_000 },
  /** Qwen2.5-0.5B. */
  "0.5b": {
    layers: 24,
    embedding: 896,
    heads: 14,
    kvHeads: 2,
    feedForward: 4864,
    vocabulary: 151_936,
    tied: true,
    contextLength: 32_768,
    ropeBase: 1_000_000,
  },
  /** TinyLlama-1.1B. */
  "1.1b": { layers: 22, embedding: 2048, heads: 32, kvHeads: 4, feedForward: 5632, vocabulary: 32_000 },
  /** Llama-3-8B. */
  "8b": {
    layers: 32,
    embedding: 4096,
    heads: 32,
    kvHeads: 8,
    feedForward: 14_336,
    vocabulary: 128_256,
    ropeBase: 500_000,
  },
};

/** `shape`, checked: ggml's block formats need rows of multiples of 32. */
export function resolveShape(shape: ShapeName | ModelShape): ModelShape {
  const resolved = typeof shape === "string" ? shapes[shape] : shape;
  if (resolved === undefined)
    throw new TypeError(`Unknown shape "${String(shape)}", known: ${Object.keys(shapes).join(", ")}`);
  const { embedding, heads, kvHeads, feedForward } = resolved;
  if (embedding % heads !== 0 || heads % kvHeads !== 0) {
    throw new TypeError(
      `Heads must divide the width, and key-value heads the heads: got ${embedding}, ${heads} and ${kvHeads}`,
    );
  }
  if (embedding % 32 !== 0 || feedForward % 32 !== 0) {
    throw new TypeError(`Widths must be multiples of 32: got ${embedding} and ${feedForward}`);
  }
  return resolved;
}
