// Measures the cost of a user's own hooks in pairs of the same generation without them and with them, in one process.
// Must not: give a figure for hooks that fail, veto or change how much the model writes.
import { type Engine, type GenerateResult, type HookInfo, LlamaHooksError } from "../../index.js";
import type { HookResult } from "../results/results.js";
import { HookCounts } from "./hook-counts.js";
import { checkFailures, stuck, timedOut } from "./hook-faults.js";
import { inTurn } from "./in-turn.js";
import { type Look, watched } from "./watched.js";

export interface OwnHooksOptions {
  /** The model, which the engine has loaded. */
  readonly model: string;
  readonly prompt: string;
  /** True: the prompt goes without the chat template. */
  readonly raw: boolean;
  readonly tokens: number;
  readonly pairs: number;
  /** Adds the hooks to the engine. */
  readonly add: (engine: Engine) => Promise<void>;
  /** Called with the number of pairs that are measured. */
  readonly onPair: (done: number) => void;
  /** The warnings of the process so far. */
  readonly warnings: readonly Error[];
}

export interface OwnHooksMeasured {
  /** Microseconds a token, of each pair. */
  readonly withoutUs: readonly number[];
  readonly withUs: readonly number[];
  readonly hooks: readonly HookResult[];
}

interface Generated {
  readonly result: GenerateResult;
  readonly wallMs: number;
}

/** Seconds without a sign of life after which a hook is taken to answer never. */
const mostSilentSeconds = 15;
/** Seconds that a file may take to add its hooks. */
const mostAddingSeconds = 60;

/**
 * Errors: HOOK_FAILED, HOOK_TIMEOUT, HOOK_BAD_ANSWER and HOOK_CANCELLED name the hook; INVALID_ARGUMENT: the hooks
 * change the number of tokens, or are not the same each time; those of `generate()`.
 */
export async function measureOwnHooks(engine: Engine, options: OwnHooksOptions): Promise<OwnHooksMeasured> {
  const { pairs, onPair } = options;
  const side = new OwnSide(engine, options);
  let measured = 0;
  const one = async (generate: () => Promise<Generated>, round: number): Promise<number> => {
    const { result, wallMs } = await generate();
    if (round >= 0 && ++measured % 2 === 0) onPair(measured / 2);
    return (wallMs * 1000) / result.usage.completionTokens;
  };
  const [withoutUs = [], withUs = []] = await inTurn(
    [(round) => one(() => side.without(), round), (round) => one(() => side.with(round), round)],
    pairs,
  );
  return { withoutUs, withUs, hooks: side.results() };
}

/** The generation without the hooks, and that with them. */
class OwnSide {
  readonly #engine: Engine;
  readonly #options: OwnHooksOptions;
  readonly #counts = new HookCounts();
  #usual: Generated | undefined;

  constructor(engine: Engine, options: OwnHooksOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  async without(): Promise<Generated> {
    const generated = await this.#generate();
    this.#usual ??= generated;
    return generated;
  }

  async with(round: number): Promise<Generated> {
    const { hooks } = this.#engine;
    if (round === 0) this.#counts.reset(); // what warmed up does not count
    await watched(this.#options.add(this.#engine), tooLong, { holds: false });
    const listed = hooks.list();
    this.#counts.begin(listed);
    const generated = await watched(this.#generate(), this.#faults(listed));
    const { decisions } = generated.result;
    const stats = hooks.stats();
    checkFailures(listed, stats, decisions, this.#options.warnings);
    this.#check(generated.result);
    this.#counts.end(hooks.list(), stats, decisions);
    hooks.clear();
    await this.#unloadOthers();
    return generated;
  }

  results(): HookResult[] {
    return this.#counts.results(this.#options.warnings);
  }

  async #generate(): Promise<Generated> {
    const { model, prompt, raw, tokens } = this.#options;
    const start = performance.now();
    const result = await this.#engine.generate(prompt, {
      model,
      raw,
      maxTokens: tokens,
      ignoreEos: true,
      temperature: 0,
    });
    return { result, wallMs: performance.now() - start };
  }

  /** A look at a generation with hooks that is under way: a hook that times out, or never answers. */
  #faults(listed: readonly HookInfo[]): Look {
    const { wallMs = 0 } = this.#usual ?? {};
    const deadlines = listed.map(({ deadlineMs }) => deadlineMs / 1000 + 1);
    const most = Math.ceil(Math.max(mostSilentSeconds, ...deadlines, (10 * wallMs) / 1000));
    let [seen, silent] = [-1, 0];
    return () => {
      const stats = this.#engine.hooks.stats();
      const late = timedOut(listed, stats);
      if (late !== undefined) return late;
      const now = stats.reduce((sum, { calls, matched }) => sum + calls + matched, 0);
      silent = now === seen ? silent + 1 : 0;
      seen = now;
      return silent < most ? undefined : stuck(listed, stats, silent);
    };
  }

  /** Errors: HOOK_CANCELLED; INVALID_ARGUMENT. */
  #check({ finishReason, cancel, usage, decisions }: GenerateResult): void {
    if (finishReason === "cancelled") {
      const why = cancel?.reason === null || cancel?.reason === undefined ? "" : `: ${cancel.reason}`;
      const point = decisions.find(({ action }) => action === "cancelled")?.point;
      const where = point === undefined ? "" : ` at ${point}`;
      throw new LlamaHooksError(
        "HOOK_CANCELLED",
        `the hook ${cancel?.by ?? "(unknown)"}${where} cancelled the generation${why}; what is cancelled has no cost a token`,
      );
    }
    const expected = this.#usual?.result.usage.completionTokens;
    if (usage.completionTokens === expected) return;
    const changing = decisions.flatMap(({ point, hooks }) =>
      hooks.flatMap(({ name, fields }) => (fields.length === 0 ? [] : [`${name} at ${point} (${fields.join(", ")})`])),
    );
    const by = changing.length === 0 ? "" : `; changes were made by ${[...new Set(changing)].join(", ")}`;
    throw new LlamaHooksError(
      "INVALID_ARGUMENT",
      `with the hooks the model wrote ${usage.completionTokens} tokens instead of ${expected}, so that the costs of a token cannot be compared${by}`,
    );
  }

  /** A function as default export may have loaded a model, and will do so again. */
  async #unloadOthers(): Promise<void> {
    for (const { modelId } of this.#engine.models.list())
      if (modelId !== this.#options.model) await this.#engine.models.unload(modelId);
  }
}

const tooLong: Look = (seconds) =>
  seconds < mostAddingSeconds
    ? undefined
    : new LlamaHooksError("HOOK_TIMEOUT", `the files of hooks did not add their hooks within ${seconds} seconds`);
