// Sessions for tests: a model that calls tools by a script, and tools that say what they were asked.
import type { Engine, RunResult, Session, SessionOptions } from "../../src/index.js";
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

/** A reply that calls the weather tool for each city. */
export function asks(...cities: string[]): { text: string; toolCalls: { name: string; args: { city: string } }[] } {
  return { text: "One moment.", toolCalls: cities.map((city) => ({ name: "weather", args: { city } })) };
}

/** What the model was told by tools in the run, in order. */
export function told({ messages }: RunResult): string[] {
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** One run of a new session, which is closed after it. */
export async function runOnce(engine: Engine, options: SessionOptions = {}, input = "Hello"): Promise<RunResult> {
  const session: Session = engine.session({ tools, temperature: 0, ...options });
  try {
    return await session.run(input);
  } finally {
    await session.close();
  }
}

/** A trusted tool that gives the directives that it is called with. */
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
