// What a script cannot say under a request's grammar is a coded error, which names the reply and the reason.
import { expect, test } from "vitest";
import { tool, type GenerateOptions, type ToolSpec } from "../../src/index.js";
import type { ScriptReply } from "../../src/testing/index.js";
import { openEngine, rejection, type Script, scriptModel } from "../support/engine.js";

const text = { type: "string" };
const number = { type: "integer" };
const city = { type: "object", properties: { city: text, zip: text }, required: ["city", "zip"] };
const trip = (properties: Record<string, object>, required: readonly string[] = []): ToolSpec => ({
  name: "trip",
  parameters: { type: "object", properties, required, additionalProperties: false },
});
const clock: ToolSpec = { name: "clock", parameters: { type: "object", properties: {} } };
const tools = [trip({ from: text, days: number }, ["from"]), clock];
const calling = (args: Record<string, unknown>, name = "trip"): ScriptReply => ({ toolCalls: [{ name, args }] });
const five = { a: text, b: text, c: text, d: text, e: text };
const backwards = { e: "5", d: "4", c: "3", b: "2", a: "1" };
const called = String.raw`after "<tool_call>\n{\"name\": \"trip\", \"arguments\": {`;
const ofTools = "the grammar of the tools (trip, clock) admits no ";

const refused = (message: string): object => ({
  code: "UNSUPPORTED_BY_MODEL",
  message: expect.stringContaining(message) as string,
});

const unsayable: readonly (readonly [string, ScriptReply, GenerateOptions, string])[] = [
  ["an unknown tool", calling({}, "nope"), { tools }, String.raw`${ofTools}"nope" after "<tool_call>\n{\"name\": \""`],
  ["a text for a number", calling({ from: "Oslo", days: "five" }), { tools }, ofTools],
  ["a number for a text", calling({ from: 5 }), { tools }, `${ofTools}"5" ${called}`],
  ["an argument that there is not", calling({ from: "Oslo", note: "x" }), { tools }, `${ofTools}"note"`],
  ["a missing argument", calling({ days: 5 }), { tools }, ofTools],
  ["no arguments", calling({}), { tools }, ofTools],
  [
    "a value that is none of the enum's",
    calling({ to: "Rome" }),
    { tools: [trip({ to: { enum: ["Oslo", "Bergen"] } }, ["to"])] },
    `admits no "Rome"`,
  ],
  [
    "another order within an argument",
    calling({ at: { zip: "1", city: "Oslo" } }),
    { tools: [trip({ at: city }, ["at"])] },
    'admits no "zip"',
  ],
  ["another order of five arguments", calling(backwards), { tools: [trip(five)] }, "in the schema's order"],
  [
    "a wrong second call, after a thought and a text",
    {
      reasoning: "Hm.",
      text: "Two.",
      toolCalls: [
        { name: "clock", args: {} },
        { name: "nope", args: {} },
      ],
    },
    { tools },
    `${ofTools}"nope"`,
  ],
  [
    "a call that is a single token",
    { pieces: ['Now: <tool_call>\n{"name": "nope", "arguments": {}}\n</tool_call>'] },
    { tools },
    "replies[0]",
  ],
  ["a text where a call must come", "Hello.", { tools, toolChoice: "required" }, "params.toolChoice with the tools ("],
  [
    "another tool than the chosen one",
    calling({ from: "Oslo" }),
    { tools, toolChoice: { tool: "clock" } },
    'params.toolChoice with the tools (clock) admits no "trip"',
  ],
  [
    "a text where a call or an answer must come",
    "Hello.",
    { tools, jsonSchema: city },
    "the grammar of the tools (trip, clock) and of params.jsonSchema",
  ],
  ["a text that a schema excludes", "Hello.", { jsonSchema: city }, 'params.jsonSchema admits no "Hello" at its beg'],
  ["an answer that lacks a member", '{"city": "Oslo"}', { jsonSchema: city }, "params.jsonSchema admits no "],
  ["an answer that is not whole", '{"city": "Oslo", "zip": "1"', { jsonSchema: city }, "admits no end after "],
  ["more than an answer", '{"city": "Oslo", "zip": "1"} So.', { jsonSchema: city }, 'admits no " So"'],
  ["an empty text", "", { jsonSchema: city }, "admits no end at its beginning"],
  ["a raw prompt's answer", "Hello.", { jsonSchema: city, raw: true }, "replies[0]: params.jsonSchema"],
  ["a text that a grammar excludes", "Hello.", { grammar: 'root ::= "yes"' }, 'params.grammar admits no "Hello"'],
  [
    "an end before the grammar's",
    "yes",
    { grammar: 'root ::= "yes please"' },
    'params.grammar admits no end after "yes"',
  ],
];

test.each(unsayable)("%s is refused at once, with the reply and the reason", async (_, reply, options, message) => {
  const engine = await openEngine([reply]);
  const generation = engine.generate("Go", options);
  const streamed: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const event of generation) if (event.type === "token") streamed.push(event.text);
  };
  expect(await rejection(reading())).toMatchObject(refused(message));
  expect(await rejection(generation)).toMatchObject(refused("the script cannot say replies[0]: "));
  // What came before belongs to the reply.
  if (typeof reply === "string") expect(reply).toContain(streamed.join(""));
});

const nope: Script = [calling({ from: "Oslo" }, "nope")];

test.each<[string, GenerateOptions]>([
  ["greedily", { temperature: 0 }],
  ["at a high temperature", { temperature: 5, seed: 1 }],
  ["with topK 1", { topK: 1 }],
  ["with mirostat", { mirostat: 2, seed: 1 }],
  ["with penalties", { repeatPenalty: 1.3, presencePenalty: 1 }],
  ["with ignoreEos", { ignoreEos: true, maxTokens: 400 }],
  ["without reasoning", { reasoning: false }],
  ["with a limit of reasoning", { reasoningBudget: 0 }],
  ["with a bias on another token", { logitBias: [{ token: 3, bias: 5 }] }],
  ["with logprobs", { topLogprobs: 3 }],
])("an unknown tool is refused %s", async (_, options) => {
  const engine = await openEngine(nope);
  expect(await rejection(engine.generate("Go", { tools, ...options }))).toMatchObject(refused('admits no "nope"'));
});

test.each(["off", "ngram"] as const)("in a separate process, with speculation %s, too", async (speculation) => {
  const script = await scriptModel([{ ...(calling({ from: 5 }) as object), text: "again and again ".repeat(20) }]);
  const model = { path: script, speculation };
  const engine = await openEngine([], { models: { default: model }, isolation: "process" });
  expect(await rejection(engine.generate("Go", { tools }))).toMatchObject(refused('admits no "5"'));
});

test("with a draft model, too", async () => {
  const path = await scriptModel(nope);
  const engine = await openEngine([], { models: { default: { path, draftModel: path } } });
  expect(await rejection(engine.generate("Go", { tools }))).toMatchObject(refused('admits no "nope"'));
});

test("the reply is named as the script names it: later ones, further scripts, adapters, and those it lacks", async () => {
  const engine = await openEngine({
    replies: ["Hi."],
    scripts: [{ when: "trip", replies: ["Fine.", calling({}, "nope")] }],
  });
  const after = (content: string) => [
    { role: "user" as const, content },
    { role: "assistant" as const, content: "Fine." },
    { role: "user" as const, content: "Go." },
  ];
  expect(await rejection(engine.generate(after("A trip."), { tools }))).toMatchObject(
    refused("scripts[0].replies[1]:"),
  );
  expect(await rejection(engine.generate(after("No."), { jsonSchema: city }))).toMatchObject(
    refused('cannot say "[the script has no reply 2]": params.jsonSchema'),
  );
  const chatTemplateArgs = { script_reply: 0 };
  expect(await rejection(engine.generate(after("No."), { jsonSchema: city, chatTemplateArgs }))).toMatchObject(
    refused("cannot say replies[0]:"),
  );
});

test("a reply in a real model's format is refused, too", async () => {
  const chatTemplate = `{%- for tool in tools %}{{ tool | tojson }}{% endfor %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content or '' }}{% for call in message.tool_calls or [] %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;
  const reply = (name: string): string => `<tool_call>\n{"name": "${name}", "arguments": {}}\n</tool_call>`;
  const engine = await openEngine({ replies: [reply("clock"), reply("nope")], chatTemplate });
  const { toolCalls } = await engine.generate("Go", { tools });
  expect(toolCalls).toMatchObject([{ name: "clock" }]);
  const second = [
    { role: "user" as const, content: "Go" },
    { role: "assistant" as const, content: "Well." },
    { role: "user" as const, content: "Go" },
  ];
  expect(await rejection(engine.generate(second, { tools }))).toMatchObject(refused("cannot say replies[1]:"));
});

test("a run rejects, at a later reply and at an answer that does not fit", async () => {
  const run = tool({ name: "clock", description: "Tells the time.", run: () => "noon" });
  const engine = await openEngine([calling({}, "clock"), calling({}, "nope")]);
  const codes: string[] = [];
  engine.hooks.on("error", ({ code }) => void codes.push(code));
  const session = engine.session({ tools: [run] });
  expect(await rejection(session.run("Go"))).toMatchObject(refused("cannot say replies[1]: the grammar of the tools"));
  expect(codes).toEqual(["UNSUPPORTED_BY_MODEL"]);
  const answers = await openEngine(['{"city": "Oslo"}']);
  expect(await rejection(answers.session().run("Where?", { answer: city }))).toMatchObject(refused("replies[0]"));
});

test("what the request does not come to is not refused: a stop, a limit, one call a message", async () => {
  const engine = await openEngine([{ text: "One stop two.", toolCalls: [{ name: "nope", args: {} }] }]);
  expect((await engine.generate("Go", { tools, stop: [" stop"] })).text).toBe("One");
  expect((await engine.generate("Go", { tools, maxTokens: 2 })).finishReason).toBe("length");
  expect((await engine.generate("Go", {})).text).toContain("nope");
  expect((await engine.generate("Go", { tools, toolChoice: "none" })).text).toContain("nope");
});

test("a sampling parameter may choose another token than the script's, which then is over", async () => {
  const engine = await openEngine(["yes"]);
  const grammar = 'root ::= "yes" | "no"';
  expect((await engine.generate("Go", { grammar })).text).toBe("yes");
  const [yes] = await engine.models.tokenize(undefined, "yes");
  const logitBias = [{ token: yes ?? 0, bias: null }];
  expect(["yes", "no"]).toContain((await engine.generate("Go", { grammar, logitBias })).text);
  expect((await engine.generate("Go", { grammar: 'root ::= "yes" " ~"{3}', ignoreEos: true })).text).toBe("yes ~ ~ ~");
});

test("with `overruled` the grammar has its way", async () => {
  const engine = await openEngine({ replies: [calling({ from: "Oslo" })], overruled: true });
  const { toolCalls } = await engine.generate("Go", { tools, toolChoice: { tool: "clock" }, temperature: 0 });
  expect(toolCalls).toMatchObject([{ name: "clock", args: {} }]);
});

test("an engine continues after a refusal, beside other generations", async () => {
  const engine = await openEngine({ replies: [calling({}, "nope")], scripts: [{ when: "hello", replies: ["Hi."] }] });
  const all = ["Go", "hello", "Go", "hello"].map((prompt) => engine.generate(prompt, { tools }));
  const ended = await Promise.allSettled(all);
  expect(ended.map((one) => (one.status === "fulfilled" ? one.value.text : (one.reason as Error).name))).toEqual([
    "LlamaHooksError",
    "Hi.",
    "LlamaHooksError",
    "Hi.",
  ]);
});
