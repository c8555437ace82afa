// What a benchmark found: the one form that runs write, tables and pages read. Must not: measure or draw.

/** Several measurements of one figure. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  readonly runs: readonly number[];
}

/** One process, one measurement. */
export interface Measurement {
  /** From the call that loads until the model can answer, page cache warm. */
  readonly loadMs: number;
  readonly promptTokens: number;
  readonly promptMs: number;
  /** Of all sequences, those after the first token of each, which is the prompt's work. */
  readonly completionTokens: number;
  readonly decodeMs: number;
  readonly decodeTps: number;
  readonly peakRssKib: number;
  /** What a contender measures besides. */
  readonly extra?: Readonly<Record<string, number>>;
}

/** A model that was measured on. */
export interface MeasuredModel {
  /** "tiny", "0.5b", or a file's name. */
  readonly name: string;
  /** For people: "tiny: 4 layers of 256, Q8_0, 20 MB". */
  readonly label: string;
  /** Random weights in the shape of a known model. */
  readonly synthetic: boolean;
  readonly bytes: number;
  readonly promptTokens: number;
  readonly tokens: number;
  readonly rounds: number;
}

/** One contender on one model. */
export interface DecodeResult {
  readonly model: string;
  readonly contender: string;
  /** For people: "awaited TypeScript hook on every token". */
  readonly label: string;
  /** Generations at once. */
  readonly sequences: number;
  /** Sum of all sequences. */
  readonly tokensPerSecond: Spread;
  /** Ratios within a round, as many sequences on both sides; null where the other did not run. */
  readonly toPlain: Spread | null;
  readonly toNodeLlamaCpp: Spread | null;
  /** To llama-hooks without a hook. Results of older runs lack it. */
  readonly toNoHook?: Spread | null;
  readonly loadMs: Spread;
  readonly peakMib: Spread;
  readonly runs: readonly Measurement[];
}

/** One figure of a micro-benchmark. */
export interface MicroResult {
  /** "empty point", "C hook", "round trip" ... Results of one group make one curve. */
  readonly group: string;
  readonly label: string;
  /** What the curve runs over: the number of hooks, or bytes of context; null for a single figure. */
  readonly x: number | null;
  readonly xLabel: string | null;
  /** Nanoseconds a call. */
  readonly median: number;
  readonly p99: number | null;
  /** Heap allocations a call, where they are counted. */
  readonly allocations?: number;
}

/** Instructions of a hot path, counted by callgrind. */
export interface InstructionResult {
  readonly name: string;
  readonly perCall: number;
  readonly bound: number;
  /** Heap allocations a call. */
  readonly allocations?: number;
}

/** One measured part of a target. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  /** Of the rounds, where there were some. */
  readonly spread?: { readonly lowest: number; readonly highest: number };
  /** By how much of itself it may be off, as its rounds say: 0.01 is 1 %. Results of older runs lack it. */
  readonly error?: number;
  /** "x", "ns", "us", "ms", "MiB", "%", "tokens". */
  readonly unit: string;
  /** What it had to be, as text: ">= 0.98". */
  readonly target: string;
  readonly pass: boolean;
}

/** One row of the table of targets. */
export interface TargetRow {
  /** "P1" to "P22". */
  readonly id: string;
  readonly what: string;
  readonly target: string;
  readonly figures: readonly Figure[];
  /** Null: not measured; `note` says why. */
  readonly pass: boolean | null;
  readonly note?: string;
}

/** With hooks and without in turn, within one process. */
export interface PairedResult {
  readonly model: string;
  readonly contender: string;
  readonly label: string;
  /** Tokens per second without a hook. */
  readonly without: Spread;
  /** The speed with hooks to that without, of each pair. */
  readonly ratio: Spread;
}

export interface BenchResults {
  readonly version: 1;
  /** ISO 8601. */
  readonly date: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGib: number;
    readonly platform: string;
    readonly os: string;
    readonly node: string;
    readonly gpu: { readonly name: string; readonly memoryGib: number } | null;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: { readonly threads: number; readonly gpu: string };
  readonly models: readonly MeasuredModel[];
  readonly decode: readonly DecodeResult[];
  /** Contenders that could not run, with the reason. */
  readonly skipped: readonly { readonly model: string; readonly contender: string; readonly reason: string }[];
  readonly micro: readonly MicroResult[];
  readonly instructions: readonly InstructionResult[];
  readonly rows: readonly TargetRow[];
  /** Results of older runs lack them. */
  readonly paired?: readonly PairedResult[];
  /** Figures that say little, and why. Results of older runs lack them. */
  readonly warnings?: readonly string[];
}
