// An answer is kept, whatever its server has counted; impossible counts are not used, and a warning says so.
import { expect, onTestFinished, test } from "vitest";
import { type LanguageModel, remote } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { openaiServer } from "../support/remote/openai-server.js";

/** The process warnings during the test. */
function warnings(): string[] {
  const heard: string[] = [];
  const hear = (warning: Error): void => void heard.push(warning.message);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  return heard;
}

/** Warnings are emitted a tick later. */
const warningsEmitted = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const chunk = (more: string): string => `data: {"id":"c","choices":[${more}}\n\n`;
const content = chunk('{"index":0,"delta":{"role":"assistant","content":"Hello there."}}]');
const finish = chunk('{"index":0,"delta":{},"finish_reason":"length"}]');
const done = "data: [DONE]\n\n";
const usages: Readonly<Record<string, string>> = {
  negative: '{"prompt_tokens":-1,"completion_tokens":2}',
  huge: '{"prompt_tokens":1099511627776,"completion_tokens":2}',
  "no whole number": '{"prompt_tokens":3,"completion_tokens":2.5}',
  "no number": '{"prompt_tokens":NaN,"completion_tokens":2}',
  "a text": '{"prompt_tokens":"12","completion_tokens":2}',
  "a list": '{"prompt_tokens":[1],"completion_tokens":2}',
  "more cached than there are":
    '{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":99},"completion_tokens":2}',
  "no object": '"many"',
};

for (const [what, usage] of Object.entries(usages)) {
  test.each([
    ["in a separate chunk", [content, finish, chunk(`],"usage":${usage}`), done]],
    [
      "in the last chunk with text",
      [
        chunk('{"index":0,"delta":{"content":"Hello "}}]'),
        chunk(`{"index":0,"delta":{"content":"there."},"finish_reason":"length"}],"usage":${usage}`),
        done,
      ],
    ],
  ])(`a usage that is ${what}, %s`, async (_, raw) => {
    const heard = warnings();
    const server = await openaiServer(() => ({ raw }));
    const provider = remote(server.url, { model: "m", retries: 0 });
    const engine = await openEngine([], { models: { big: { provider } } });
    const result = await engine.generate("Hi");
    expect(result).toMatchObject({ text: "Hello there.", finishReason: "length" });
    expect(result.usage.promptTokens).toBeGreaterThan(0);
    expect(result.usage.promptTokens).toBeLessThan(1000);
    expect(result.usage.cachedTokens).toBe(0);
    expect(result.usage.completionTokens).toBeGreaterThan(0);
    await engine.generate("Hi");
    await warningsEmitted();
    expect(
      heard.filter((text) => text.startsWith(`${server.url}: the usage of an answer is not believed`)),
    ).toHaveLength(1);
  });
}

test("reasoning that a server counts beside the answer is left out of the usage, and the rest is believed", async () => {
  const heard = warnings();
  const usage = '{"prompt_tokens":3,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":9}}';
  const server = await openaiServer(() => ({ raw: [content, finish, chunk(`],"usage":${usage}`), done] }));
  const engine = await openEngine([], { models: { big: { provider: remote(server.url, { model: "m" }) } } });
  const { usage: counted } = await engine.generate("Hi");
  expect(counted).toMatchObject({ promptTokens: 3, completionTokens: 2 });
  expect(counted.reasoningTokens).toBeUndefined();
  await warningsEmitted();
  expect(heard).toEqual([]);
});

test.each([
  ["null", "null"],
  ["empty", "{}"],
  ["of the answer alone", '{"completion_tokens":7}'],
])("a usage that is %s is filled up without a word", async (_, usage) => {
  const heard = warnings();
  const server = await openaiServer(() => ({ raw: [content, finish, chunk(`],"usage":${usage}`), done] }));
  const engine = await openEngine([], { models: { big: { provider: remote(server.url, { model: "m" }) } } });
  const { text, usage: counted } = await engine.generate("Hi");
  expect([text, counted.promptTokens > 0, counted.completionTokens > 0]).toEqual(["Hello there.", true, true]);
  await warningsEmitted();
  expect(heard).toEqual([]);
});

test.each([NaN, Infinity, -3, 2 ** 40, "12", {}, true])("a provider package that counts %s", async (total) => {
  const heard = warnings();
  const model: LanguageModel = {
    specificationVersion: "v3",
    provider: "odd",
    modelId: "m",
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream<unknown>({
          start(controller) {
            controller.enqueue({ type: "text-delta", id: "0", delta: "Hello." });
            const usage = { inputTokens: { total }, outputTokens: { total: 1 } };
            controller.enqueue({ type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } });
            controller.close();
          },
        }),
      }),
  };
  const engine = await openEngine([], { models: { big: { provider: model } } });
  expect(await engine.generate("Hi")).toMatchObject({ text: "Hello.", finishReason: "stop" });
  await warningsEmitted();
  expect(heard).toEqual([expect.stringContaining("odd: the usage of an answer is not believed") as string]);
});
