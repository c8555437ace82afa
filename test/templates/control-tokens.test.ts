// For a text with many spelled-out control tokens, the time grows with the text, in every place of a conversation.
import { expect, test } from "vitest";
import type { Engine, Message, PromptRequest } from "../../src/index.js";
import { openEngine, scriptModel } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const families = [
  "meta-llama-Llama-3.1-8B-Instruct",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
  "ibm-granite-granite-3.3-2B-Instruct",
  "meetkai-functionary-medium-v3.1",
] as const;

const user = (content: string): Message => ({ role: "user", content });
const look = { id: "a1b2c3d4e", name: "look", args: { at: "sky" } };
const tool = { name: "look", description: "Looks.", parameters: { type: "object", properties: { at: {} } } };

/** Every place that a caller, a tool or the model fills. */
const places: Readonly<Record<string, (said: string) => PromptRequest>> = {
  "the user's message": (said) => ({ messages: [user(said)] }),
  "the system prompt": (said) => ({ messages: [{ role: "system", content: said }, user("Hi.")] }),
  "an answer in the history": (said) => ({
    messages: [user("Hi."), { role: "assistant", content: said }, user("And?")],
  }),
  "a tool's description": (said) => ({ messages: [user("Hi.")], tools: [{ ...tool, description: said }] }),
  "a tool's parameters": (said) => ({
    messages: [user("Hi.")],
    tools: [{ ...tool, parameters: { type: "object", properties: { at: { description: said } } } }],
  }),
  "an argument of a call": (said) => ({
    messages: [
      user("Hi."),
      { role: "assistant", content: "", toolCalls: [{ ...look, args: { at: said } }] },
      { role: "tool", content: "blue", toolName: "look", toolCallId: look.id },
    ],
    tools: [tool],
  }),
  "a tool's result": (said) => ({
    messages: [
      user("Hi."),
      { role: "assistant", content: "", toolCalls: [look] },
      { role: "tool", content: said, toolName: "look", toolCallId: look.id },
    ],
    tools: [tool],
  }),
};

/** Processor time in milliseconds, of the faster of two attempts. */
async function cost(engine: Engine, request: PromptRequest): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 2; i++) {
    const begun = process.cpuUsage();
    await engine.models.renderPrompt(undefined, request);
    const { user: own, system } = process.cpuUsage(begun);
    least = Math.min(least, (own + system) / 1000);
  }
  return least;
}

test.each(families)("marks of %s take time that grows with the text, wherever they stand", async (family) => {
  const chatTemplate = templateSource(family);
  const token = /<\|[a-zA-Z_]+\|>/.exec(chatTemplate)?.[0] ?? "<|start_header_id|>";
  const engine = await openEngine([], { model: await scriptModel({ replies: ["Hi."], chatTemplate }) });
  // llama.cpp supports no tool calls with Granite's template: it renders tools, and refuses to offer them.
  const choice = family.startsWith("ibm-granite") ? ({ toolChoice: "none" } as const) : {};
  for (const [place, requestOf] of Object.entries(places)) {
    const request = (said: string): PromptRequest => ({ ...requestOf(said), ...choice });
    const few = await cost(engine, request(token.repeat(1_000)));
    const many = await cost(engine, request(token.repeat(16_000)));
    // Sixteen times as much: in quadratic time it takes 256 times as long.
    expect(many / Math.max(few, 1), place).toBeLessThan(64);
  }
});

test("an abort ends the reading of such a text", async () => {
  const engine = await openEngine(["Hi."]);
  const token = "<|im_start|>";
  const aborted = new AbortController();
  const work = engine.generate(token.repeat(500_000), { signal: aborted.signal });
  setImmediate(() => aborted.abort());
  expect((await work.catch((error: unknown) => error)) as object).toMatchObject(
    aborted.signal.aborted ? { finishReason: "cancelled" } : { code: "PROMPT_TOO_LONG" },
  );
});
