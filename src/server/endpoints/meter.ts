// Counts the tokens of a call or a run as its model calls end, so that those of one that fails count, too.
import { defineHooks, type GenerateResult, type HookSet } from "../../index.js";
import type { Visit } from "./visit.js";

/** Counts for one request. */
export class Meter {
  /** A hook of the call or run, which changes nothing. */
  readonly hooks: HookSet;
  readonly #visit: Visit;
  #prompt = 0;
  #completion = 0;
  #isOver = false;

  constructor(visit: Visit) {
    this.#visit = visit;
    this.hooks = defineHooks(
      "meter",
      {
        postGenerate: ({ usage, meta }) => {
          if (this.#isOver) return;
          this.#prompt += usage.promptTokens;
          this.#completion += usage.completionTokens;
          visit.spend(meta.modelId ?? "", usage);
        },
      },
      { observe: true, fields: { postGenerate: ["usage"] } },
    );
  }

  /** Counts the work that the hook has not seen. Not called if the work has failed. */
  end({ modelId, usage }: Pick<GenerateResult, "modelId" | "usage">): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const promptTokens = Math.max(0, usage.promptTokens - this.#prompt);
    const completionTokens = Math.max(0, usage.completionTokens - this.#completion);
    const cachedTokens = this.#prompt === 0 ? usage.cachedTokens : 0;
    if (promptTokens + completionTokens > 0)
      this.#visit.spend(modelId, { promptTokens, cachedTokens, completionTokens });
  }
}
