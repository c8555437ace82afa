// Calls of a format that has an id between the name and the arguments.
import { expect, test } from "vitest";
import { cityWeather, ordinary, readAnswer } from "../support/templates/read-answer.js";

const template = "Mistral-Small-3.2-24B-Instruct-2506";
const days = { name: "weather_days", parameters: { type: "object", properties: { days: { type: "integer" } } } };
const tools = [days, cityWeather, { name: "stop" }]; // a name that begins like another, and one without parameters
const written = (name: string, args: string, id = ""): string =>
  `[TOOL_CALLS]${name}${id === "" ? "" : `[CALL_ID]${id}`}[ARGS]${args}`;
const oslo = written("weather", '{"city": "Oslo"}', "a1b2c3d4e");

test.each([
  ["with an id", oslo, [["weather", { city: "Oslo" }]]],
  ["without an id", written("weather", '{"city": "Oslo"}'), [["weather", { city: "Oslo" }]]],
  ["of a longer name", written("weather_days", '{"days": 3}', "a1b2c3d4e"), [["weather_days", { days: 3 }]]],
  ["without arguments", written("stop", "{}", "a1b2c3d4e"), [["stop", {}]]],
  [
    "of both kinds",
    oslo + written("weather_days", '{"days": 3}'),
    [
      ["weather", { city: "Oslo" }],
      ["weather_days", { days: 3 }],
    ],
  ],
])("a call %s is read, in any tokens", async (_, reply, calls) => {
  const boundary = { pieces: [reply.slice(0, 19), reply.slice(19)] }; // behind `[TOOL_CALLS]weather`
  for (const pieces of [reply, ordinary(reply), boundary])
    for (const toolChoice of ["auto", "required"] as const)
      for (const offered of [tools, tools.toReversed()]) {
        const answer = await readAnswer(template, pieces, { tools: offered, toolChoice });
        expect(answer).toMatchObject({ calls, text: "", streamed: "", finishReason: "stop", codes: [], replaced: 0 });
        expect(answer.argsText.replaceAll(" ", "")).toBe(calls.map(([, args]) => JSON.stringify(args)).join(""));
      }
});

test("a text before a call stays, and an argument may have the marks", async () => {
  const city = "Oslo [ARGS] [CALL_ID]x";
  const reply = `I look.${written("weather", JSON.stringify({ city }), "a1b2c3d4e")}`;
  const answer = await readAnswer(template, reply, { tools });
  expect(answer).toMatchObject({ text: "I look.", calls: [["weather", { city }]], codes: [] });
});

test("an answer by a schema comes beside tools", async () => {
  const answer = { type: "object", properties: { warm: { type: "boolean" } }, required: ["warm"] };
  const options = { tools, jsonSchema: answer };
  expect((await readAnswer(template, '{"warm": true}', options)).text).toBe('{"warm": true}');
  expect((await readAnswer(template, oslo, options)).calls).toEqual([["weather", { city: "Oslo" }]]);
});
