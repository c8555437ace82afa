// The results of a benchmark: benchmark runs write them; tables and pages read them.

/** Several measurements of one figure. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  readonly runs: readonly number[];
}

/** One measurement by one process. */
export interface Measurement {
  /** The time from the call that loads the model until the model can answer; the page cache is warm. */
  readonly loadMs: number;
  readonly promptTokens: number;
  readonly promptMs: number;
  /** The tokens of all sequences, without the first token of each, which belongs to the prompt. */
  readonly completionTokens: number;
  readonly decodeMs: number;
  readonly decodeTps: number;
  readonly peakRssKib: number;
  /** Further figures that a contender measures. */
  readonly extra?: Readonly<Record<string, number>>;
}

/** A measured model. */
export interface MeasuredModel {
  /** "tiny", "0.5b", or the name of a file. */
  readonly name: string;
  /** The label for people: "tiny: 4 layers of 256, Q8_0, 20 MB". */
  readonly label: string;
  /** Random weights in the shape of a known model. */
  readonly synthetic: boolean;
  readonly bytes: number;
  readonly promptTokens: number;
  readonly tokens: number;
  readonly rounds: number;
}

/** The results of one contender on one model. */
export interface DecodeResult {
  readonly model: string;
  readonly contender: string;
  /** The label for people: "awaited TypeScript hook on every token". */
  readonly label: string;
  /** The number of generations at once. */
  readonly sequences: number;
  /** The sum over all sequences. */
  readonly tokensPerSecond: Spread;
  /**
   * The ratio to the plain loop and to node-llama-cpp, within a round and with the same number of sequences; null if
   * the other did not run.
   */
  readonly toPlain: Spread | null;
  readonly toNodeLlamaCpp: Spread | null;
  /** The ratio to llama-hooks without a hook. Absent in results of older versions. */
  readonly toNoHook?: Spread | null;
  readonly loadMs: Spread;
  readonly peakMib: Spread;
  readonly runs: readonly Measurement[];
}

/** One figure of a micro-benchmark. */
export interface MicroResult {
  /** "empty point", "C hook", "round trip" ... The results of one group form one curve. */
  readonly group: string;
  readonly label: string;
  /** The x value of the curve: the number of hooks, or bytes of context; null for a single figure. */
  readonly x: number | null;
  readonly xLabel: string | null;
  /** Nanoseconds per call. */
  readonly median: number;
  readonly p99: number | null;
  /** Heap allocations per call, if they were counted. */
  readonly allocations?: number;
}

/** The instructions of a hot path, counted by callgrind. */
export interface InstructionResult {
  readonly name: string;
  readonly perCall: number;
  readonly bound: number;
  /** Heap allocations per call. */
  readonly allocations?: number;
}

/** One measured part of a target. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  /** The lowest and highest round, if there were rounds. */
  readonly spread?: { readonly lowest: number; readonly highest: number };
  /** The relative error, estimated from the rounds: 0.01 is 1 %. Absent in results of older versions. */
  readonly error?: number;
  /** "x", "ns", "us", "ms", "MiB", "%", "tokens". */
  readonly unit: string;
  /** The required value, as text: ">= 0.98". */
  readonly target: string;
  readonly pass: boolean;
}

/** One row of the table of targets. */
export interface TargetRow {
  /** "P1" to "P31". */
  readonly id: string;
  readonly what: string;
  readonly target: string;
  readonly figures: readonly Figure[];
  /** Null if it was not measured; `note` gives the reason. */
  readonly pass: boolean | null;
  readonly note?: string;
}

/** Generations with and without hooks, alternately, in one process. */
export interface PairedResult {
  readonly model: string;
  readonly contender: string;
  readonly label: string;
  /** Tokens per second without a hook. */
  readonly without: Spread;
  /** The ratio of the speed with hooks to the speed without, per pair. */
  readonly ratio: Spread;
}

/** The calls and outcomes of one of the user's hooks in the measured generations. */
export interface HookResult {
  /** Empty if it has none. */
  readonly name: string;
  readonly point: string;
  /** The file and line at which it was registered; null if unknown. */
  readonly location: string | null;
  /** True: the engine does not wait for the hook, and the time of a call is that of handing over the event. */
  readonly observe: boolean;
  /** Numbers of events: at its point; and of those, the ones that matched `when` and that no earlier hook had ended. */
  readonly fired: number;
  readonly matched: number;
  readonly calls: number;
  readonly failures: number;
  /** Mean microseconds of a call, waiting included; null if there was no call, or its time could not be counted. */
  readonly callUs: number | null;
  /** The reason why it was never called; null if it was called. */
  readonly neverCalled: string | null;
  /** Its first failure; null if there was none. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** The same generation without the user's own hooks and with them, in turn, in one process. */
export interface OwnHooksResult {
  /** The options that named the hooks: "--hooks guards.mjs". */
  readonly files: readonly string[];
  /** The measured generations with the hooks; there are as many without. */
  readonly generations: number;
  /** Tokens per second, from the call to its result. */
  readonly without: Spread;
  readonly with: Spread;
  /** The ratio of the speed with the hooks to the speed without, per pair. */
  readonly ratio: Spread;
  /** Microseconds that the hooks add to a token, per pair; below zero, the one with hooks was faster. */
  readonly addedUs: Spread;
  readonly hooks: readonly HookResult[];
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
  /** Absent in results of older versions. */
  readonly paired?: readonly PairedResult[];
  /** Present if the user's own hooks were measured. */
  readonly ownHooks?: OwnHooksResult;
  /** Warnings about unreliable figures. Absent in results of older versions. */
  readonly warnings?: readonly string[];
}
