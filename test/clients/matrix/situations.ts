// The situations of the matrix: what clients are told to do in them, and what must come of it.
import { messages } from "../../support/templates/native-replies.js";

/** What the models say. */
export const texts = {
  prompt: "How is the weather?",
  goOn: "Go on.",
  hello: "Hello from here.",
  answer: "It is cold.",
  typed: { city: "Oslo", days: 3 },
  summary: "They spoke of four cities.",
  long: Array.from({ length: 40 }, (_, index) => `line ${index} of a long answer`).join("\n"),
  reasoning: messages.reasoning.reasoning,
} as const;

/** What a script model is written for. A compaction takes two: one that sums up, and one that goes on from there. */
export type Situation = "first" | "tool" | "several" | "typed" | "reasoning" | "cut" | "summary" | "continued";

/** What a client is told to do. */
export const deeds = ["first", "tool", "several", "typed", "reasoning", "cut", "compaction"] as const;
export type Deed = (typeof deeds)[number];

/** What a driver tells of a deed. */
export interface Told {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  readonly value?: unknown;
  readonly reasoning?: string;
  readonly cut?: boolean;
  readonly begun?: string;
  readonly summary?: string;
}

const [oslo, rome] = messages.two.toolCalls.map(({ name, args }) => ({ name, args }));

/** What a client must tell. `shows`: it shows the reasoning, and the model reasons. */
export function wanted(deed: Deed, shows: boolean): Told {
  const { answer: text, hello, typed: value, summary, reasoning } = texts;
  switch (deed) {
    case "first":
      return { text: hello };
    case "tool":
      return { text, calls: [oslo] as Told["calls"] & object };
    case "several":
      return { text, calls: [oslo, rome] as Told["calls"] & object };
    case "typed":
      return { value };
    case "reasoning":
      return { text, calls: [oslo] as Told["calls"] & object, ...(shows && { reasoning }) };
    case "cut":
      return { text, cut: true };
    case "compaction":
      return { text, summary };
  }
}

/** Tokens of the answer that is cut off: more than any family writes before its text, fewer than the text has. */
export const maxTokens = 40;

/** A long past, with calls, as drivers turn it into their client's messages. */
export const history = ["Oslo", "Rome", "Lima", "Kyoto"].flatMap((city, index) => {
  const id = `call0000${index}`;
  return [
    { role: "user", text: `How is ${city}?` },
    { role: "call", text: `I look at ${city}.`, id, name: "weather", args: { city, days: index + 1 } },
    { role: "result", id, name: "weather", text: `${index} degrees in ${city}` },
    { role: "said", text: `It is cold in ${city}. ${"Wear a coat. ".repeat(20)}`.trim() },
  ];
});
