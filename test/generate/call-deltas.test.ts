import { expect, test } from "vitest";
import type { GenerateEvent, Generation } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const note = {
  name: "note",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
const call = (text: string) => ({ name: "note", args: { text } });

async function collect(generation: Generation): Promise<GenerateEvent[]> {
  const events: GenerateEvent[] = [];
  for await (const event of generation) events.push(event);
  return events;
}

const deltas = (events: readonly GenerateEvent[]) => events.filter((event) => event.type === "toolCallDelta");

/** The arguments of the first call, as the deltas tell them. */
const joined = (events: readonly GenerateEvent[]): string =>
  deltas(events)
    .filter(({ index }) => index === 0)
    .map(({ argsText }) => argsText)
    .join("");

test("the first event of an iteration has the run and the number of prompt tokens", async () => {
  const engine = await openEngine(["Hello."]);
  const generation = engine.generate("Hi");
  const [start] = await collect(generation);
  const { runId, modelId, usage } = await generation;
  expect(start).toEqual({ type: "start", runId, modelId, promptTokens: usage.promptTokens });
});

test("a call is reported piece by piece while it is written", async () => {
  const engine = await openEngine([{ text: "I note it.", toolCalls: [call(long), call("b")] }]);
  const generation = engine.generate("Go", { tools: [note] });
  const events = await collect(generation);
  const { toolCalls } = await generation;
  expect(JSON.parse(joined(events))).toEqual({ text: long });
  expect(deltas(events)[0]).toMatchObject({ index: 0, id: toolCalls[0]?.id, name: "note", argsText: "" });
  expect(new Set(deltas(events).map(({ index, id }) => `${index} ${id}`))).toEqual(
    new Set(toolCalls.map(({ id }, index) => `${index} ${id}`)),
  );
  const first = events.findIndex(({ type }) => type === "toolCallDelta");
  const rest = events.slice(first).filter((event) => event.type === "token" && event.kind === "tool_call");
  expect(rest.length).toBeGreaterThan(50); // a sign of life: most of the call is still to come
  expect(deltas(events).length).toBeGreaterThan(3); // how many more goes by time
});

test("a hook that changes the text of a call changes its deltas", async () => {
  const engine = await openEngine([{ toolCalls: [call("my secret word is secret")] }]);
  engine.hooks.on("streamToken", ({ kind, text }) =>
    kind === "tool_call" && text.includes("secret") ? { text: text.replaceAll("secret", "hidden") } : undefined,
  );
  const generation = engine.generate("Go", { tools: [note] });
  const events = await collect(generation);
  expect((await generation).toolCalls).toMatchObject([call("my hidden word is hidden")]);
  expect(JSON.parse(joined(events))).toEqual({ text: "my hidden word is hidden" });
  expect(JSON.stringify(deltas(events))).not.toContain("secret");
});

test("a hook that holds the text of a call holds back its deltas", async () => {
  const engine = await openEngine([{ toolCalls: [call(long)] }]);
  engine.hooks.on("streamToken", ({ kind, text, final }) => {
    if (kind !== "tool_call") return undefined;
    return final === true ? { text: text.replaceAll("word1", "xxxxx") } : { text, hold: true };
  });
  const generation = engine.generate("Go", { tools: [note] });
  const events = await collect(generation);
  expect(JSON.parse(joined(events))).toEqual({ text: long.replaceAll("word1", "xxxxx") });
  expect((await generation).toolCalls).toMatchObject([call(long.replaceAll("word1", "xxxxx"))]);
});

test("a postGenerate hook that replaces a call says so, with the new call", async () => {
  const engine = await openEngine([{ toolCalls: [call("old")] }]);
  const written = '<tool_call>\n{"name": "note", "arguments": {"text": "new"}}\n</tool_call>';
  engine.hooks.on("postGenerate", () => ({ content: written }));
  const generation = engine.generate("Go", { tools: [note] });
  const events = await collect(generation);
  const { toolCalls } = await generation;
  expect(toolCalls).toMatchObject([call("new")]);
  expect(events.filter(({ type }) => type === "replaced")).toEqual([
    { type: "replaced", text: "", reasoning: "", toolCalls },
  ]);
});

test("a held stream tells of the calls that came out of postGenerate", async () => {
  const engine = await openEngine([{ toolCalls: [call("old")] }]);
  const written = '<tool_call>\n{"name": "note", "arguments": {"text": "new"}}\n</tool_call>';
  engine.hooks.on("postGenerate", () => ({ content: written }));
  const events = await collect(engine.generate("Go", { tools: [note], stream: "held" }));
  expect(JSON.parse(joined(events))).toEqual({ text: "new" });
  expect(events.map(({ type }) => type)).not.toContain("replaced");
});

test("a hook's response with a call is reported as a whole", async () => {
  const engine = await openEngine(["Never."]);
  engine.hooks.on("preGenerate", () => ({
    response: '<tool_call>\n{"name": "note", "arguments": {"text": "mine"}}\n</tool_call>',
  }));
  const generation = engine.generate("Go", { tools: [note] });
  const events = await collect(generation);
  expect(deltas(events).map(({ argsText }) => argsText)).toEqual(["", '{"text":"mine"}']);
  expect(deltas(events)[0]?.id).toBe((await generation).toolCalls[0]?.id);
});

test("a call that maxTokens cuts off is taken back", async () => {
  const engine = await openEngine([{ text: "Wait.", toolCalls: [call(long)] }]);
  const generation = engine.generate("Go", { tools: [note], maxTokens: 40 });
  const events = await collect(generation);
  expect(deltas(events).length).toBeGreaterThan(0);
  const { text, toolCalls } = await generation;
  expect(toolCalls).toEqual([]);
  expect(events.at(-2)).toEqual({ type: "replaced", text, reasoning: "", toolCalls: [] });
});

test("a held stream tells nothing of a call that is cut off", async () => {
  const engine = await openEngine([{ text: "Wait.", toolCalls: [call(long)] }]);
  const generation = engine.generate("Go", { tools: [note], maxTokens: 40, stream: "held", logprobs: true });
  const events = await collect(generation);
  expect(events.map(({ type }) => type)).not.toContain("toolCallDelta");
  const awaited = await engine.generate("Go", { tools: [note], maxTokens: 40, logprobs: true });
  const texts = ({ logprobs = [] }: typeof awaited) => logprobs.map((token) => token.text);
  expect(texts(await generation)).toEqual(texts(awaited)); // whether somebody reads or not
});

test("a call that a hook starts anew begins with a start, and its calls count from 0 again", async () => {
  const engine = await openEngine([{ toolCalls: [call("first")] }, { toolCalls: [call("second")] }]);
  let asked = 0;
  engine.hooks.on("postGenerate", () => (asked++ === 0 ? { retry: "again" } : undefined));
  const generation = engine.generate("Go", { tools: [note] });
  const events = await collect(generation);
  const at = events.findIndex(({ type }) => type === "replaced");
  expect(events.filter(({ type }) => type === "start")).toHaveLength(2);
  expect(events[at + 1]?.type).toBe("start");
  expect(JSON.parse(joined(events.slice(at)))).toEqual({ text: "second" });
  expect((await generation).toolCalls).toMatchObject([call("second")]);
});

test("a run tells of its calls before it decides on them", async () => {
  const engine = await openEngine([{ toolCalls: [call("a")] }, "Done."]);
  const session = engine.session({ tools: [{ ...note, run: () => "noted" }] });
  const events = [];
  for await (const event of session.run("Go")) events.push(event);
  const deltas = events.filter((event) => event.type === "toolCallDelta");
  const decided = events.find((event) => event.type === "toolCall");
  expect(deltas.map(({ argsText }) => argsText).join("")).toBe('{"text": "a"}');
  expect(deltas[0]).toMatchObject({ runId: decided?.runId, depth: 0, id: decided?.id, name: "note" });
  expect(events.indexOf(deltas[0] as never)).toBeLessThan(events.indexOf(decided as never));
  expect(events.filter(({ type }) => type === "start")).toHaveLength(2);
});
