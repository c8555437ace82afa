// Conversations in which interpreters of chat templates differ: schemas of a tool, arguments of a call, and texts.
import type { Message, ToolSpec } from "../../../src/index.js";

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
}
type Schemas = Readonly<Record<string, unknown>>;

const tool = (properties: Schemas, more: object = {}): ToolSpec => ({
  name: "lookup",
  description: "Looks up.",
  parameters: { type: "object", properties, ...more },
});
const key = { type: "string", description: "The key." };
const plain = tool({ key }, { required: ["key"] });
const nullable = tool({ key: { type: ["string", "null"], description: "x" } });

const tools: Readonly<Record<string, ToolSpec>> = {
  plain,
  nullable,
  "without required": tool({ key }),
  "without description": { name: "lookup", parameters: { type: "object", properties: { key: { type: "string" } } } },
  "without properties": tool({}),
  "without parameters": { name: "lookup", description: "Looks up." },
  "a list without items": tool({ key: { type: "array", description: "x" } }),
  "a list": tool({ key: { type: "array", items: { type: "string" } } }),
  "a list of objects": tool({
    key: { type: "array", items: { type: "object", properties: { a: { type: "integer" } } } },
  }),
  "a list of anything": tool({ key: { type: "array", items: {} } }),
  "without type": tool({ key: { description: "anything" } }),
  "an empty schema": tool({ key: {} }),
  true: tool({ key: true }),
  enum: tool({ key: { enum: ["a", "b"] } }),
  "enum of a type": tool({ key: { type: "string", enum: ["a", "b"] } }),
  "enum of numbers": tool({ key: { enum: [1, 2, null] } }),
  const: tool({ key: { const: "x" } }),
  "three types": tool({ key: { type: ["string", "number", "null"] } }),
  anyOf: tool({ key: { anyOf: [{ type: "string" }, { type: "null" }], default: null } }),
  oneOf: tool({ key: { oneOf: [{ type: "string" }, { type: "integer" }] } }),
  nested: tool({
    key: {
      type: "object",
      properties: { a: { type: "string", description: "A" }, b: { type: "array" } },
      required: ["a"],
    },
  }),
  "an object": tool({ key: { type: "object" } }),
  additionalProperties: tool({ key: { type: "object", additionalProperties: { type: "string" } } }),
  defaults: tool({
    a: { type: "integer", default: 3 },
    b: { type: "boolean", default: false },
    c: { type: "string", default: 'q"uote' },
    d: { type: "number", minimum: 0.5, maximum: 1e3 },
  }),
  format: tool({ key: { type: "string", format: "date", pattern: "^\\d+$", minLength: 2 } }),
  $ref: tool({ key: { $ref: "#/$defs/K" } }, { $defs: { K: { type: "string" } } }),
  characters: {
    name: "lookup",
    description: "Sucht <b>„Grüße“</b> & 'x' — 東京 😀\nline",
    parameters: {
      type: "object",
      properties: { schlüssel: { type: "string", description: 'a\nb\t"c" </tool> & <x>' } },
    },
  },
};

const args: Readonly<Record<string, Schemas>> = {
  plain: { key: "v" },
  none: {},
  int: { key: 3 },
  float: { key: 1.5 },
  "large and small": { key: 2, e: 1e21, s: 1e-7 },
  booleans: { key: true, no: false },
  null: { key: null },
  list: { key: ["a", "b"] },
  "list of numbers": { key: [1, 2, 3] },
  "empty list": { key: [] },
  object: { key: { a: 1, b: "x" } },
  "empty object": { key: {} },
  nested: { key: { a: [{ b: null, c: [true] }] } },
  characters: { key: "line\n\"q\" 'a' \\ <b>&</b> {{ x }} é 😀\t" },
  two: { a: "x", b: 2 },
  "empty text": { key: "" },
  code: { code: "def f():\n    return {'a': [1, 2]}\n" },
  "large numbers": { key: 9_007_199_254_740_991, neg: -4 },
};

const system = (content: string): Message => ({ role: "system", content });
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string, more: object = {}): Message => ({ role: "assistant", content, ...more });
const call = (given: Schemas, n = 1) => ({ id: `call0000${n}`, name: "lookup", args: given });
const result = (content: string, n = 1): Message => ({
  role: "tool",
  content,
  toolCallId: `call0000${n}`,
  toolName: "lookup",
});
const ask = user("Lookup.");
const calls = (...all: readonly object[]): Message => assistant("", { toolCalls: all });
const looked = calls(call({ key: "v" }));

const talks: Readonly<Record<string, Conversation>> = {
  "a greeting": { messages: [user("Hi.")] },
  "a system message": { messages: [system("Be."), user("Hi.")] },
  turns: { messages: [system("Be."), user("Hi."), assistant("Yo."), user("More.")] },
  spaces: { messages: [user("  Hi.  \n"), assistant("\n Yo. "), user("x")] },
  reasoning: { messages: [user("Hi."), assistant("Yo.", { reasoning: "hm" }), user("More.")] },
  "reasoning in a text": { messages: [user("Hi."), assistant("<think>a</think>Yo."), user("More.")] },
  characters: { messages: [system("é 東京 😀"), user("<b>&amp;\"'"), assistant("’“"), user("\\n {{x}} {% y %}")] },
  "empty texts": { messages: [user("Hi."), assistant(""), user("")] },
  "reasoning and a call": { messages: [ask, { ...looked, reasoning: "hm" } as Message, result("found")] },
  "two calls": {
    messages: [ask, calls(call({ key: "v" }), call({ key: "w" }, 2)), result("found"), result("lost", 2)],
  },
  "a text beside a call": { messages: [ask, { ...looked, content: "Text." } as Message, result("found")] },
  "a call with a result of JSON": { messages: [ask, looked, result('{"a": [1, null, {"b": "x"}]}')] },
};
const withTools = ["reasoning and a call", "two calls", "a text beside a call", "a call with a result of JSON"];

/** All conversations, by name. */
export const conversations: Readonly<Record<string, Conversation>> = Object.fromEntries([
  ...Object.entries(tools).map(([name, each]) => [`tool: ${name}`, { messages: [ask], tools: [each] }] as const),
  ["tool: two", { messages: [ask], tools: [plain, { ...nullable, name: "other" }] }] as const,
  ...Object.entries(args).flatMap(([name, each]) => {
    const messages = [ask, calls(call(each)), result("found")];
    const later = [...messages, assistant("Done."), user("Thanks.")];
    return [
      [`call: ${name}`, { messages, tools: [plain] }] as const,
      [`past call: ${name}`, { messages: later, tools: [plain] }] as const,
    ];
  }),
  ...Object.entries(talks).map(
    ([name, talk]) => [name, withTools.includes(name) ? { ...talk, tools: [plain] } : talk] as const,
  ),
]);
