// The messages that the model is shown for prompts of the AI SDK.
import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { describeVersions } from "../support/integrations/ai-sdk.js";
import { openEngine, rejection } from "../support/engine.js";

describeVersions(({ sdk, provider }) => {
  /** The messages of the only call that `prompt` leads to. */
  async function shown(prompt: readonly object[]): Promise<readonly Message[]> {
    const engine = await openEngine({ replies: ["Yes."], afterLast: "repeat" });
    const seen: (readonly Message[])[] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void seen.push(messages));
    await provider(engine)().doGenerate({ prompt: prompt as never });
    expect(seen.length).toBe(1);
    return seen[0] ?? [];
  }

  test("parts of a message are joined: texts, reasoning, calls", async () => {
    const text = (text: string) => ({ type: "text", text });
    const messages = await shown([
      { role: "system", content: "Be brief." },
      { role: "user", content: [text("One."), text("Two.")] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm." },
          text("I "),
          text("look."),
          { type: "tool-call", toolCallId: "1", toolName: "find", input: { a: 1 } },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "1", toolName: "find", output: { type: "text", value: "found" } }],
      },
      { role: "user", content: [text("Go on.")] },
    ]);
    expect(messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "One.\nTwo." },
      {
        role: "assistant",
        content: "I look.",
        reasoning: "Hm.",
        toolCalls: [{ id: "1", name: "find", args: { a: 1 } }],
      },
      { role: "tool", content: "found", toolCallId: "1", toolName: "find" },
      { role: "user", content: "Go on." },
    ]);
  });

  test("results of tools in each form become text", async () => {
    const outputs: [object, string][] = [
      [{ type: "json", value: { a: [1] } }, '{"a":[1]}'],
      [{ type: "error-text", value: "no disk" }, "error: no disk"],
      [{ type: "error-json", value: { code: 5 } }, 'error: {"code":5}'],
      [{ type: "execution-denied", reason: "not now" }, "denied: not now"],
      [{ type: "execution-denied" }, "denied"],
      [
        {
          type: "content",
          value: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        "a\nb",
      ],
    ];
    const ids = outputs.map((_, index) => String(index));
    const messages = await shown([
      { role: "user", content: [{ type: "text", text: "Go." }] },
      {
        role: "assistant",
        content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "find", input: {} })),
      },
      {
        role: "tool",
        content: outputs.map(([output], i) => ({ type: "tool-result", toolCallId: ids[i], toolName: "find", output })),
      },
    ]);
    expect(messages.slice(2).map(({ content }) => content)).toEqual(outputs.map(([, text]) => text));
  });

  test("results of tools that another provider ran follow their calls", async () => {
    const messages = await shown([
      { role: "user", content: [{ type: "text", text: "Go." }] },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "1", toolName: "search", input: { q: "a" }, providerExecuted: true },
          { type: "tool-result", toolCallId: "1", toolName: "search", output: { type: "text", value: "b" } },
          { type: "text", text: "It is b." },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Sure?" }] },
    ]);
    expect(messages.map(({ role, content }) => `${role} ${content}`)).toEqual([
      "user Go.",
      "assistant ",
      "tool b",
      "assistant It is b.",
      "user Sure?",
    ]);
  });

  test("a file is refused by its name, and nothing is generated", async () => {
    const engine = await openEngine(["Hello."]);
    let calls = 0;
    engine.hooks.on("preGenerate", () => void calls++);
    const image = { type: "image" as const, image: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) };
    const content = [{ type: "text" as const, text: "Look" }, image];
    const messages = [{ role: "user" as const, content }];
    const error = await rejection(sdk.generateText({ model: provider(engine)(), messages }));
    expect(sdk.UnsupportedFunctionalityError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      functionality: "file parts",
      message: expect.stringMatching(/prompt\[0\]\[1\].*image\//),
    });
    expect(calls).toBe(0);
  });
});
