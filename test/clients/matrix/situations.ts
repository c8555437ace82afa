// The exercises of the matrix, and the outcome that each must have.
import { messages } from "../../support/templates/native-replies.js";

const lines = (length: number): string =>
  Array.from({ length }, (_, index) => `line ${index} of a long answer`).join("\n");

/** The texts of models and clients. */
export const texts = {
  prompt: "How is the weather?",
  goOn: "Go on.",
  hello: "Hello from here.",
  answer: "It is cold.",
  typed: { city: "Oslo", days: 3 },
  /** The schema admits it, the client does not. */
  mistyped: { city: "Oslo", days: -3 },
  summary: "They spoke of four cities.",
  long: lines(40),
  lengthy: lines(100),
  longLine: "line 2 of a long answer",
  reasoning: messages.reasoning.reasoning,
} as const;

/**
 * A script model is written for one of these. A compaction takes several: one answers at length, one sums up, and one
 * continues from the summary.
 * "retried": a call that is refused, another one, an answer. "corrected": a typed answer that is refused, another one.
 * "search": a call of `ToolSearch`, a call of the tool that it found, an answer. "working": reasoning, a call, several, an answer.
 */
export type Situation =
  | "first"
  | "tool"
  | "retried"
  | "corrected"
  | "search"
  | "several"
  | "working"
  | "typed"
  | "reasoning"
  | "cut"
  | "lengthy"
  | "summary"
  | "continued";

/** The exercises that each client does. */
export const exercises = ["first", "tool", "several", "typed", "reasoning", "cut", "compaction"] as const;
/** Those of clients that ask again by themselves: a tool refuses a call, and an answer by the schema is wrong. */
export const retries = ["retried", "corrected"] as const;
export type Exercise = (typeof exercises | typeof retries)[number];

/** The outcome of an exercise, as a driver sends it. */
export interface Outcome {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  readonly value?: unknown;
  readonly reasoning?: string;
  /** Null: the client does not tell. */
  readonly cut?: boolean | null;
  readonly begun?: string;
  readonly summary?: string;
}

const [oslo, rome] = messages.two.toolCalls.map(({ name, args }) => ({ name, args }));

/** The outcome of an exercise, as far as the client shows it. */
export interface Shown {
  /** The client shows reasoning, and the model reasons. */
  readonly reasoning: boolean;
  /** The client tells that an answer was cut off. */
  readonly cut: boolean;
}

/** The outcome that an exercise must have. */
export function wanted(exercise: Exercise, shown: Shown): Outcome {
  const { answer: text, hello, typed: value, summary, reasoning } = texts;
  switch (exercise) {
    case "first":
      return { text: hello };
    case "tool":
      return { text, calls: [oslo] as Outcome["calls"] & object };
    case "several":
    case "retried":
      return { text, calls: [oslo, rome] as Outcome["calls"] & object };
    case "typed":
    case "corrected":
      return { value };
    case "reasoning":
      return { text, calls: [oslo] as Outcome["calls"] & object, ...(shown.reasoning && { reasoning }) };
    case "cut":
      return { text, cut: shown.cut ? true : null };
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
