// The prompts of a model's calls, as its template rendered them, verified by the number of tokens that the model
// counted. Must not: rely on the context that a hook was shown.
import { expect } from "vitest";
import type { Engine, HookEventOf, ToolSpec } from "../../src/index.js";
import { computing } from "./engine.js";

type Asked = Pick<HookEventOf<"preGenerate">, "messages" | "tools" | "params">;

/**
 * Listens from now on. Returns a function that gives the prompts so far, in the order in which the calls ended. Answers
 * that hooks gave instead of the model have none.
 */
export function listen(engine: Engine): () => Promise<string[]> {
  const pending = new Map<string | null, Asked>();
  const heard: { readonly model: string | undefined; readonly asked: Asked; readonly tokens: number }[] = [];
  engine.hooks.guard("preGenerate", ({ messages, tools, params, response, meta }) => {
    pending.delete(meta.runId);
    if (response === undefined) pending.set(meta.runId, { messages, tools, params });
  });
  engine.hooks.on(
    "postGenerate",
    ({ usage, meta }) => {
      const asked = pending.get(meta.runId);
      pending.delete(meta.runId);
      if (asked !== undefined) heard.push({ model: meta.modelId ?? undefined, asked, tokens: usage.promptTokens });
    },
    { priority: -(2 ** 31) },
  );
  const { models } = computing(engine);
  return () =>
    Promise.all(
      heard.map(async ({ model, asked: { messages, tools, params }, tokens }) => {
        const toolChoice = params.toolChoice ?? "auto";
        const prompt = await models.renderPrompt(model, {
          messages,
          tools: tools as readonly ToolSpec[],
          toolChoice,
        });
        const counted = await models.tokenize(model, prompt, { parseSpecial: true });
        expect(counted.length, "the prompt is the one that the model was given").toBe(tokens);
        return prompt;
      }),
    );
}

/** The prompt of the last call so far. */
export async function lastHeard(prompts: () => Promise<string[]>): Promise<string> {
  return (await prompts()).at(-1) ?? "";
}
