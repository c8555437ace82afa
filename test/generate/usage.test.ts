// The cost of a call, and the stop text that ended it.
import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { templateSource } from "../support/templates/template-files.js";
import { openEngine, scriptModel } from "../support/engine.js";

const reply = "<think>\nOne two three four five six seven eight.\n</think>\n\nFour.";

async function thinking(text: string): Promise<Engine> {
  const chatTemplate = templateSource("Qwen-Qwen3-0.6B");
  return openEngine([], { model: await scriptModel({ chatTemplate, replies: [text] }) });
}

test("stopText is the stop text that came first, and absent if none did", async () => {
  const engine = await openEngine(["one two three four"]);
  const ended = async (stop: readonly string[]) => {
    const { text, finishReason, ...rest } = await engine.generate("Count", { stop });
    return [text, finishReason, rest.stopText];
  };
  expect(await ended([" four", " two", "three"])).toEqual(["one", "stop", " two"]);
  expect(await ended(["nine"])).toEqual(["one two three four", "stop", undefined]);
  expect("stopText" in (await engine.generate("Count", { maxTokens: 1 }))).toBe(false);
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, stop: ["three"] } }));
  expect(await ended(["nine"])).toEqual(["one two ", "stop", "three"]);
});

test("reasoningTokens are the tokens before the answer", async () => {
  const engine = await thinking(reply);
  const generation = engine.generate("Two and two?", { temperature: 0 });
  let answerAt: number | undefined;
  for await (const event of generation) {
    if (event.type === "token" && event.kind === "content" && event.text !== "") answerAt ??= event.index;
  }
  const { usage, reasoning } = await generation;
  expect(reasoning.trim()).toBe("One two three four five six seven eight.");
  expect(usage.reasoningTokens).toBe(answerAt);
  expect(usage.reasoningTokens).toBeGreaterThan(5);
  expect(usage.reasoningTokens).toBeLessThan(usage.completionTokens);
  const cut = await engine.generate("Two and two?", { temperature: 0, maxTokens: 4 });
  expect(cut.usage.reasoningTokens).toBe(4);
  expect((await (await thinking("Four.")).generate("Two and two?")).usage).not.toHaveProperty("reasoningTokens");
});

test("queueMs is the wait for its turn, and firstTokenMs has it and the prompt in it", async () => {
  const engine = await openEngine(["one two three four five six seven eight"], { parallel: 1 });
  // A call keeps its place while a hook waits, so most of these wait for as long at least.
  const hook = engine.hooks.on("preGenerate", () => new Promise((resolve) => setTimeout(() => resolve(undefined), 40)));
  const results = await Promise.all(Array.from({ length: 40 }, () => engine.generate("Count")));
  for (const { usage } of results) {
    expect(usage.firstTokenMs).toBeGreaterThanOrEqual((usage.queueMs ?? Infinity) + usage.promptMs);
  }
  expect(Math.max(...results.map(({ usage }) => usage.queueMs ?? 0))).toBeGreaterThan(39);
  hook.dispose();
  engine.hooks.on("preGenerate", () => ({ response: "No model." }));
  expect((await engine.generate("Count")).usage).not.toHaveProperty("firstTokenMs");
});

test("a run sums them up: the first token is that of its first model call", async () => {
  const engine = await thinking(reply);
  const session = engine.session({ tools: [] });
  const { usage } = await session.run("Two and two?");
  expect(usage.reasoningTokens).toBeGreaterThan(5);
  expect(usage.firstTokenMs).toBeGreaterThan(0);
  expect(usage.queueMs).toBeGreaterThanOrEqual(0);
  await session.close();
});
