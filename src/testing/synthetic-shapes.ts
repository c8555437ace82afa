// The shapes of well-known models, for benchmarks: speed depends on shape and format, not on the weights.

/** The sizes of a synthetic model. */
export interface ModelShape {
  /**
   * The architecture, which decides how much the layers remember. "llama" and "qwen3": every token. "lfm2", a hybrid:
   * the last inputs of a short convolution, a state that cannot be rewound to an earlier token. "gemma3": the last
   * `window` tokens. In the latter two, every `fullEvery`-th layer remembers every token. Default "llama".
   */
  readonly architecture?: Architecture;
  /** Number of layers. */
  readonly layers: number;
  /** Width of the embedding: numbers per token. */
  readonly embedding: number;
  /** Attention heads per layer. */
  readonly heads: number;
  /** Key-value heads per layer; a divisor of `heads`. */
  readonly kvHeads: number;
  /** Width of the feed-forward part of a layer. */
  readonly feedForward: number;
  /** Number of tokens; a tokenizer copied from a file overrides it. */
  readonly vocabulary: number;
  /** True: input and output embeddings share one tensor. Default false. */
  readonly tied?: boolean;
  /** The context length stated in the file. Default 8192. */
  readonly contextLength?: number;
  /** Base of the rotary embedding. Default 10000. */
  readonly ropeBase?: number;
  /** "lfm2" and "gemma3": the interval of layers that remember every token. Default 3. */
  readonly fullEvery?: number;
  /** "gemma3": how many tokens the other layers remember. Default 128. */
  readonly window?: number;
  /**
   * "llama": the number of experts per layer, each as wide as `feedForward`; two of them see each token. Default: none.
   */
  readonly experts?: number;
}

/** The number of experts that see each token. */
export const expertsUsed = 2;

/** The architecture in llama.cpp's terms: the kinds of its layers and what they remember. */
export type Architecture = "llama" | "qwen3" | "lfm2" | "gemma3";

/** The name of a shape, with about the parameters of models of that name. */
export type ShapeName = "narrow" | "tiny" | "0.5b" | "1.1b" | "8b" | "hybrid" | "windowed";

export const defaultFullEvery = 3;

/** The dimensions of "tiny". */
const small = { layers: 6, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 32_000, tied: true };

export const shapes: Readonly<Record<ShapeName, ModelShape>> = {
  /** Reads long prompts in little time, for measurements of all that is not the model. */
  narrow: {
    layers: 1,
    embedding: 64,
    heads: 2,
    kvHeads: 1,
    feedForward: 128,
    vocabulary: 32_000,
    tied: true,
    contextLength: 131_072,
  },
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
  /** Like LFM2. */
  hybrid: { architecture: "lfm2", ...small },
  /** Like Gemma 3. */
  windowed: { architecture: "gemma3", ...small },
};

/** True if every layer remembers every token. */
export const remembersAll = (architecture: Architecture): boolean =>
  architecture === "llama" || architecture === "qwen3";

/** Checks `shape`: ggml's block formats need rows of multiples of 32. */
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
