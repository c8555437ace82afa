// For tests of sessions: a script that calls tools, and tools that repeat their arguments.
import { expect } from "vitest";
import type { Engine, Message, RunResult, Session, SessionOptions } from "../../src/index.js";
import { tool, type Tool } from "../../src/index.js";

export const weather: Tool = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
    additionalProperties: false,
  },
  run: ({ city }) => `${String(city)}: 4 degrees`,
}) as Tool;

export const clock: Tool = tool({ name: "clock", run: () => "noon" }) as Tool;

export const tools = [weather, clock];

export const fails = tool({ name: "fails", run: () => Promise.reject(new Error("no")) });

/** Waits until it is cancelled, and then fails. */
export const hangs = tool({
  name: "hangs",
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
});

/** Asks the user for a city, and repeats the answer. */
export const asksUser = tool({
  name: "asks_user",
  run: async (_, { elicit }) => {
    const answer = await elicit({
      message: "Which city?",
      schema: { type: "object", properties: { city: { type: "string", maxLength: 20 } }, required: ["city"] },
    });
    return answer.action === "accept"
      ? `accept ${answer.content.city}`
      : `${answer.action} ${answer.reason ?? ""}`.trim();
  },
});

/** A few of these are too much for a small context. */
export const story = "It was a dark and stormy night in the north. ".repeat(5);
export const reads = tool({ name: "reads", run: () => story });

/** A reply that calls the weather tool for each city. */
export function asks(...cities: string[]): { text: string; toolCalls: { name: string; args: { city: string } }[] } {
  return { text: "One moment.", toolCalls: cities.map((city) => ({ name: "weather", args: { city } })) };
}

/** A reply that calls a tool. */
export const calls = (name: string, args: Record<string, unknown> = {}) => ({ toolCalls: [{ name, args }] });

/** The result of a call that no rule, hook or person allowed. */
export const notAllowed = "denied: nothing allows it";

/** The tool results of the run, in order. */
export function resultTexts({ messages }: RunResult): string[] {
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** The messages without ids, times and who has added them. */
export function bare(messages: readonly Message[]): Message[] {
  const kept = ([key]: [string, unknown]): boolean => !["id", "timeMs", "origin"].includes(key);
  return messages.map((message) => Object.fromEntries(Object.entries(message).filter(kept)) as unknown as Message);
}

/** Expects exactly one result per tool call, in the order of the calls. */
export function expectWhole(messages: readonly Message[]): void {
  const asked = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  const answered = messages.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId);
  expect(answered).toEqual(asked);
  expect(new Set(asked).size).toBe(asked.length);
}

/** One run of a new session, which is closed afterwards. */
export async function runOnce(engine: Engine, options: SessionOptions = {}, input = "Hello"): Promise<RunResult> {
  const session: Session = engine.session({ tools, temperature: 0, ...options });
  try {
    return await session.run(input);
  } finally {
    await session.close();
  }
}

/** A trusted tool that returns the directives in its arguments. */
export const directs: Tool = tool({
  name: "directs",
  trusted: true,
  parameters: { type: "object", properties: { directives: { type: "array" } }, required: ["directives"] },
  run: ({ directives }, { directive }) => {
    for (const { type, params } of directives as { type: string; params?: Record<string, unknown> }[])
      directive(type, params);
    return "directed";
  },
}) as Tool;
