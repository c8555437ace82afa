import path from "node:path";
import { expect } from "vitest";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import * as part from "../support/order/order-parts.js";
import type { PointDefinition } from "./five-tests.js";

const shape = { layers: 4, embedding: 256, heads: 4, kvHeads: 2, feedForward: 704, vocabulary: 512 };
const promptTokens = 1400;
/** Each occasion has its own prompt: what the KV cache holds is not evaluated again. */
let occasions = 0;

export const promptProgress: PointDefinition = {
  point: "promptProgress",
  inRuns: {
    occasion: "slow",
    aborted: [...part.first, ...part.asked, "promptProgress", "postGenerate", ...part.end],
  },
  open: async () => {
    const model = path.join(await tempDir(), "slow.gguf");
    await writeSyntheticModel(model, shape);
    return openEngine([], { model, batchSize: 32, contextSize: 1536, parallel: 1 });
  },
  occasion: async (engine) => {
    const prompt = String.fromCodePoint(65 + (occasions++ % 50)).repeat(promptTokens);
    let fired = 0;
    const counter = engine.hooks.on("promptProgress", () => void fired++);
    const { usage } = await engine.generate(prompt, { raw: true, maxTokens: 1 });
    counter.dispose();
    expect(fired).toBeLessThanOrEqual(usage.promptMs / 50 + 1);
  },
  times: "some",
  event: { processed: expect.any(Number), total: promptTokens, cached: expect.any(Number) },
  answers: {},
};
