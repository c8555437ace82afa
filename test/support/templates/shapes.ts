// Conversations in shapes that some chat templates have no form for. Each text has its own word.
import type { Message, ToolSpec } from "../../../src/index.js";

export const weather: ToolSpec = {
  name: "weather",
  description: "The weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const system = (n: number): Message => ({ role: "system", content: `Wsystem${n}.` });
const user = (n: number): Message => ({ role: "user", content: `Wuser${n}.` });
const textOf = (n: number): string => (n === 0 ? "" : `Wassistant${n}.`);
const assistant = (n: number): Message => ({ role: "assistant", content: textOf(n) });
const id = (n: number): string => `call0000${n}`;
/** A message with the calls of these numbers, and the text of number `text`; 0: none. */
const calls = (text: number, ...numbers: readonly number[]): Message => ({
  role: "assistant",
  content: textOf(text),
  toolCalls: numbers.map((n) => ({ id: id(n), name: "weather", args: { city: `Wcity${n}` } })),
});
const thinking = (message: Message): Message => ({ ...message, reasoning: "Wthought1." }) as Message;
const result = (n: number): Message => ({
  role: "tool",
  content: `Wresult${n}`,
  toolCallId: id(n),
  toolName: "weather",
});

export const shapes: Readonly<Record<string, readonly Message[]>> = {
  "a system message first": [system(1), user(1)],
  "a system message alone": [system(1)],
  "a system message last": [user(1), system(1)],
  "a system message in the middle": [system(1), user(1), assistant(1), system(2), user(2)],
  "a system message behind the user's": [system(1), user(1), system(2), assistant(1), user(2)],
  "two system messages first": [system(1), system(2), user(1)],
  "three system messages first": [system(1), system(2), system(3), user(1), assistant(1), user(2)],
  "a system message before results": [system(1), user(1), calls(0, 1), result(1)],
  "a system message behind a result": [system(1), user(1), calls(1, 1), result(1), system(2)],
  "a system message, and the assistant last": [system(1), user(1), assistant(1)],
  "users in a row": [user(1), user(2)],
  "users in a row, later": [system(1), user(1), assistant(1), user(2), user(3), user(4)],
  "assistants in a row": [user(1), assistant(1), assistant(2), user(2)],
  "the assistant first": [assistant(1), user(1)],
  "the assistant behind a system message": [system(1), assistant(1), user(1)],
  "the assistant last": [user(1), assistant(1)],
  "a call": [user(1), calls(0, 1), result(1)],
  "a call, answered": [user(1), calls(0, 1), result(1), assistant(1), user(2)],
  "a user behind a result": [user(1), calls(0, 1), result(1), user(2)],
  "reminders behind results": [system(1), user(1), calls(1, 1, 2), result(1), result(2), user(2), user(3)],
  "two calls": [user(1), calls(0, 1, 2), result(1), result(2)],
  "two calls, results the other way round": [user(1), calls(0, 1, 2), result(2), result(1), assistant(1), user(2)],
  "three calls, answered": [user(1), calls(0, 1, 2, 3), result(1), result(2), result(3), assistant(1), user(2)],
  "two calls, one result": [user(1), calls(0, 1, 2), result(2), user(2)],
  "calls one after the other": [user(1), calls(0, 1), result(1), calls(0, 2), result(2), assistant(1), user(2)],
  "a text beside a call": [user(1), calls(1, 1), result(1)],
  "a text beside a call, answered": [user(1), calls(1, 1), result(1), assistant(2), user(2)],
  "texts beside calls": [user(1), calls(1, 1), result(1), calls(2, 2), result(2), assistant(3), user(2)],
  "a text beside two calls": [user(1), calls(1, 1, 2), result(1), result(2)],
  "a text beside reasoning": [user(1), thinking(assistant(1)), user(2)],
  "a text beside reasoning and a call": [user(1), thinking(calls(1, 1)), result(1)],
  "a text beside reasoning and calls, answered": [
    user(1),
    thinking(calls(1, 1, 2)),
    result(1),
    result(2),
    assistant(2),
    user(2),
  ],
  "a call without a result": [user(1), calls(1, 1), user(2)],
  "a call last": [user(1), calls(0, 1)],
  "a result without a call": [user(1), result(1)],
  "a conversation that begins with a result": [result(1), user(1)],
  "a message between results": [user(1), calls(0, 1, 2), result(1), user(2), result(2)],
  "a system message between results": [user(1), calls(0, 1, 2), result(1), system(1), result(2)],
  "an empty message of the assistant": [user(1), assistant(0), user(2)],
};

/** The words of a conversation that its prompt must have: all but those of reasoning. */
export function wordsOf(messages: readonly Message[]): readonly string[] {
  const all = JSON.stringify(messages).match(/W[a-z]+\d/gu) ?? [];
  return [...new Set(all)].filter((word) => !word.startsWith("Wthought"));
}
