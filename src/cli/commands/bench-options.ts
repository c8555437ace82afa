// The options of `llama-hooks bench`, and what its results have in common.
import path from "node:path";
import type { Description } from "../../bench/measure/describe.js";
import { machine, versions } from "../../bench/measure/machine.js";
import { modelLabel } from "../../bench/measure/models.js";
import type { BenchResults } from "../../bench/results/results.js";
import type { Gpu } from "../../index.js";
import type { ShapeName } from "../../testing/index.js";
import { sanitizeName } from "../process/sanitize.js";

export interface BenchOptions {
  readonly model?: string;
  readonly synthetic?: ShapeName;
  /** [128, with `quick` 32] */
  readonly tokens?: number;
  /** [0: the best number for the model] */
  readonly threads?: number;
  /** [5, with `quick` 3] */
  readonly rounds?: number;
  /** True: fewer and shorter measurements. */
  readonly quick?: boolean;
  /** The files of the user's own hooks, which are measured in place of the package's. */
  readonly hooks: readonly string[];
  readonly native: readonly string[];
  readonly gpu: Gpu;
  readonly compare?: boolean;
  /** True: write JSON to stdout instead of the table. */
  readonly json?: string | true;
}

/** The options with what was left out. */
export type ChosenOptions = BenchOptions & { readonly tokens: number; readonly rounds: number };

export function withUsual(options: BenchOptions): ChosenOptions {
  const usual = options.quick === true ? { tokens: 32, rounds: 3 } : { tokens: 128, rounds: 5 };
  return { ...options, tokens: options.tokens ?? usual.tokens, rounds: options.rounds ?? usual.rounds };
}

/** The tokens of the prompt before which a model begins to write. */
export const promptTokens = 48;

/** The name of the model in the results. */
export function modelName({ synthetic, model }: BenchOptions, { info }: Description): string {
  return synthetic ?? (model === undefined ? "0.5b" : sanitizeName(path.basename(info.path)));
}

/** Results without a figure. */
export function resultsWithout(
  options: ChosenOptions,
  description: Description,
  packages: readonly string[] = [],
): BenchResults {
  const { model, tokens, rounds, gpu } = options;
  const { info, system, promptTokens: read } = description;
  const name = modelName(options, description);
  const label = sanitizeName(modelLabel(name, info));
  return {
    version: 1,
    date: new Date().toISOString(),
    machine: machine(system.devices, gpu !== false),
    versions: versions(system, packages),
    settings: { threads: info.threads, gpu: gpu === false ? "off" : gpu },
    models: [
      { name, label, synthetic: model === undefined, bytes: info.fileBytes, promptTokens: read, tokens, rounds },
    ],
    decode: [],
    skipped: [],
    micro: [],
    instructions: [],
    rows: [],
    warnings: [],
  };
}
