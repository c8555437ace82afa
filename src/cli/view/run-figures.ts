// Computes the speed of an answer, and how full the context is after it.
import type { Engine, RunResult, TraceEvent } from "../../index.js";

/** A field is null if no model was called. */
export interface Figures {
  readonly tokensPerSecond: number | null;
  /** The tokens that the last model call read and wrote, and the size of the context. */
  readonly context: { readonly usedTokens: number; readonly size: number } | null;
}

export class FigureCollector {
  readonly #engine: Engine;
  /** The tokens of each run's last model call. */
  readonly #used = new Map<string, number>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Must receive every event of the trace. */
  take(event: TraceEvent): void {
    if (event.type !== "lifecycle" || event.event !== "modelCallEnded" || event.usage === undefined) return;
    this.#used.set(event.runId, event.usage.promptTokens + event.usage.completionTokens);
  }

  of({ runId, modelId, usage }: RunResult): Figures {
    const used = this.#used.get(runId);
    this.#used.clear();
    const size = this.#engine.models.list().find((model) => model.modelId === modelId)?.contextSize;
    return {
      tokensPerSecond: speedOf(usage),
      context: used === undefined || size === undefined ? null : { usedTokens: used, size },
    };
  }
}

export function speedOf({ completionTokens, decodeMs }: RunResult["usage"]): number | null {
  return decodeMs > 0 ? Math.round((completionTokens / decodeMs) * 1000) : null;
}

/** Formats the figures in one line; undefined if there are none. */
export function figuresText({ tokensPerSecond, context }: Figures): string | undefined {
  const parts: string[] = [];
  if (tokensPerSecond !== null) parts.push(`${tokensPerSecond} tokens/s`);
  if (context !== null) {
    const { usedTokens, size } = context;
    parts.push(`context: ${usedTokens} of ${size} tokens, ${Math.round((usedTokens / size) * 100)} %`);
  }
  return parts.length === 0 ? undefined : parts.join(" · ");
}
