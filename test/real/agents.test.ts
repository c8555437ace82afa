// Real models call tools and answer by schemas: whatever they write parses and fits. Whether it is right is their affair.
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import type { ToolSpec } from "../../src/index.js";
import { amount } from "../support/amount.js";
import { openEngine } from "../support/engine.js";
import { decoders } from "../support/real/models.js";
import { templateSource } from "../support/templates/template-files.js";

const cities = ["Oslo", "Lima", "Cairo", "Osaka", "Quito", "Perth", "Turin", "Accra", "Hanoi", "Leeds"];
const tools: ToolSpec[] = [
  {
    name: "weather",
    description: "The weather of a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string", maxLength: 40 }, unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["city"],
      additionalProperties: false,
    },
  },
  {
    name: "add",
    description: "The sum of two numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "integer", minimum: -999, maximum: 999 }, b: { type: "integer" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
  },
  {
    name: "search",
    description: "Searches the library.",
    parameters: {
      type: "object",
      properties: {
        words: { type: "array", items: { type: "string", maxLength: 20 }, minItems: 1, maxItems: 4 },
        limit: { type: ["integer", "null"], minimum: 1, maximum: 20 },
      },
      required: ["words"],
      additionalProperties: false,
    },
  },
];
const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 40 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    home: { anyOf: [{ enum: cities }, { type: "null" }] },
    likes: { type: "array", items: { enum: ["rain", "sun", "snow"] }, maxItems: 3, uniqueItems: false },
  },
  required: ["name", "age", "home"],
  additionalProperties: false,
};

interface Question {
  readonly text: string;
  /** The tool that a person would choose. */
  readonly tool: string;
}
const questions = Array.from({ length: 200 }, (_, at): Question => {
  const city = cities[at % cities.length] ?? "";
  return [
    { text: `What is the weather like in ${city}? I plan day ${at}.`, tool: "weather" },
    { text: `How much is ${at} plus ${3 * at + 1}?`, tool: "add" },
    { text: `Find up to ${1 + (at % 20)} books about ${city}.`, tool: "search" },
    { text: `Will I need an umbrella in ${city} in ${at} hours?`, tool: "weather" },
  ][at % 4] as Question;
});
const asked = questions.slice(0, amount(16, 200));
/** Both models were made without tools; this one's marks are those of SmolLM2. */
const chatTemplate = templateSource("Qwen-Qwen2.5-7B-Instruct");
const options = { temperature: 0.7, maxTokens: 300 };

test.each(decoders)("%s: required calls parse and fit the schema of their tool", async (name, model) => {
  const engine = await openEngine([], { model, contextSize: 2048, parallel: 4, chatTemplate });
  const ajv = new Ajv({ strict: false });
  const checks = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.parameters as object)]));
  let right = 0;
  const one = async ({ text, tool }: Question, seed: number): Promise<void> => {
    const result = await engine.generate(text, {
      ...options,
      tools,
      toolChoice: "required",
      parallelToolCalls: false,
      seed,
    });
    const calls = result.toolCalls.map((call) => ({ name: call.name, fits: checks.get(call.name)?.(call.args) }));
    expect({ text, calls, finish: result.finishReason }).toEqual({
      text,
      calls: calls.map((call) => ({ ...call, fits: true })),
      finish: "stop",
    });
    expect(calls.length).toBeGreaterThan(0);
    if (calls[0]?.name === tool) right += 1;
  };
  await inFours(asked, one);
  console.log(`${name}: ${right} of ${asked.length} calls are of the tool that a person would choose`);
});

test.each(decoders)("%s: answers by a schema parse and fit it", async (_, model) => {
  const engine = await openEngine([], { model, contextSize: 2048, parallel: 4 });
  const fits = new Ajv({ strict: false }).compile(person);
  await inFours(asked, async ({ text }, seed) => {
    const result = await engine.generate(`${text} Who asks that?`, { ...options, jsonSchema: person, seed });
    const value: unknown = JSON.parse(result.text);
    expect({ value, fits: fits(value), finish: result.finishReason }).toEqual({ value, fits: true, finish: "stop" });
  });
});

/** Four at a time. */
async function inFours<T>(all: readonly T[], one: (item: T, at: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += 4)
    await Promise.all(all.slice(at, at + 4).map((item, more) => one(item, at + more)));
}
