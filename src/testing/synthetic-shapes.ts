// The shapes of well-known models, for measuring: speed depends on the shape and the format, not on the weights.
// Must not: hold anything about how files are written.

/** The sizes of a synthetic model: layers, width in numbers, heads, and tokens of its vocabulary. */
export interface ModelShape {
  /**
   * How its layers remember. "llama": every token. "lfm2", a hybrid: the last few inputs of a short convolution, a state
   * that cannot be cut back to an earlier token. "gemma3": the last `window` tokens. In the latter two every layer of
   * number `fullEvery` remembers every token. "qwen3" remembers as "llama" does. Default "llama".
   */
  readonly architecture?: Architecture;
  /** How many layers it has. */
  readonly layers: number;
  /** Width of its embedding: numbers a token. */
  readonly embedding: number;
  /** Attention heads of a layer. */
  readonly heads: number;
  /** Keys and values a layer: each serves as many heads, so that they divide `heads`. */
  readonly kvHeads: number;
  /** Width of the feed-forward part of a layer. */
  readonly feedForward: number;
  /** The number of tokens; a vocabulary that is copied from a file brings its own. */
  readonly vocabulary: number;
  /** Input and output embeddings are one tensor. Default false. */
  readonly tied?: boolean;
  /** The context length the model claims to be trained for. Default 8192. */
  readonly contextLength?: number;
  /** Base of the rotary embedding. Default 10000. */
  readonly ropeBase?: number;
  /** "lfm2" and "gemma3": every so many layers one remembers every token. Default 3. */
  readonly fullEvery?: number;
  /** "gemma3": the tokens that the other layers remember. Default 128. */
  readonly window?: number;
  /** "llama": a mixture of so many experts in each layer, each as wide as `feedForward`; two of them see a token. Default: none. */
  readonly experts?: number;
}

/** How many experts see a token. */
export const expertsUsed = 2;

/** What kind of model it is to llama.cpp: which layers it has, and what they remember. */
export type Architecture = "llama" | "qwen3" | "lfm2" | "gemma3";

/** A size by name: about as many parameters as models of that name have. */
export type ShapeName = "tiny" | "0.5b" | "1.1b" | "8b" | "hybrid" | "windowed";

export const defaultFullEvery = 3;

/** As small as tiny. */
const small = { layers: 6, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 32_000, tied: true };

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
  /** In the manner of LFM2. */
  hybrid: { architecture: "lfm2", ...small },
  /** In the manner of Gemma 3. */
  windowed: { architecture: "gemma3", ...small },
};

/** Whether every layer remembers every token. */
export const remembersAll = (architecture: Architecture): boolean =>
  architecture === "llama" || architecture === "qwen3";

/** `shape`, checked: ggml's block formats need rows of multiples of 32. */
export function resolveShape(shape: ShapeName | ModelShape): ModelShape {
  const resolved = typeof shape === "string" ? shapes[shape] : shape;
  if (resolved === undefined)
    throw new TypeError(`Unknown shape "${String(shape)}", known: ${Object.keys(shapes).join(", ")}`);
  const { layers, embedding, heads, kvHeads, feedForward, architecture = "llama" } = resolved;
  if (embedding % heads !== 0 || heads % kvHeads !== 0) {
    throw new TypeError(
      `Heads must divide the width, and key-value heads the heads: got ${embedding}, ${heads} and ${kvHeads}`,
    );
  }
  if (embedding % 32 !== 0 || feedForward % 32 !== 0) {
    throw new TypeError(`Widths must be multiples of 32: got ${embedding} and ${feedForward}`);
  }
  const { fullEvery = defaultFullEvery, window = 128 } = resolved;
  if (!remembersAll(architecture) && (fullEvery < 2 || fullEvery > layers || window < 1)) {
    throw new TypeError(
      `Some layers, not all, remember every token, the others one or more: got every ${fullEvery} of ${layers}, and ${window}`,
    );
  }
  const { experts } = resolved;
  if (experts !== undefined && (architecture !== "llama" || !Number.isInteger(experts) || experts < expertsUsed)) {
    throw new TypeError(
      `Experts are of the architecture "llama", ${expertsUsed} or more: got ${experts} of "${architecture}"`,
    );
  }
  return resolved;
}
