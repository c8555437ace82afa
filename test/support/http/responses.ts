// Requests for responses, and their events.
import type OpenAI from "openai";

export type Params = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">;
export type Event = OpenAI.Responses.ResponseStreamEvent;

export const ask = (more: Partial<Params> = {}): Params => ({ model: "default", input: "Hi", ...more });
export const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "weather",
  description: "The weather in a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  strict: false,
};
export const thinks = { reasoning: "Let me think.", text: "Hello there." };

export async function eventsIn(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The types of events, each run of equal ones as one, without the word that all begin with. */
export const typesOf = (events: readonly Event[]): string[] =>
  events.map(({ type }) => type.replace("response.", "")).filter((type, index, types) => type !== types[index - 1]);
