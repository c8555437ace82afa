// The answer's text alone, streamed while it is written.
import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";

const clock = { name: "clock", run: () => "12:00" };
const asks = { toolCalls: [{ name: "clock", args: {} }] };

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of stream) {
    expect(piece).not.toBe("");
    text += piece;
  }
  return text;
}

test("a generation gives its text without reasoning, piece by piece", async () => {
  const engine = await openEngine([{ reasoning: "Let me think.", text: "It is noon." }]);
  const generation = engine.generate("What time is it?");
  const pieces: string[] = [];
  for await (const piece of generation.textStream) pieces.push(piece);
  const { text, reasoning } = await generation;
  expect([pieces.join(""), text, reasoning]).toEqual(["It is noon.", "It is noon.", "Let me think."]);
  expect(pieces.length).toBeGreaterThan(1);
});

test("a tool call leaves nothing in the text", async () => {
  const engine = await openEngine([asks]);
  const generation = engine.generate("What time is it?", { tools: [{ name: "clock" }] });
  expect(await textOf(generation.textStream)).toBe("");
  expect((await generation).toolCalls).toHaveLength(1);
});

test("a run gives the text of its answer, and an empty line between messages", async () => {
  const engine = await openEngine([asks, "It is noon.", { text: "I look.", ...asks }, "Still noon."]);
  const session = engine.session({ tools: [clock] });
  expect(await textOf(session.run("What time is it?").textStream)).toBe("It is noon.");
  expect(await textOf(session.run("And now?").textStream)).toBe("I look.\n\nStill noon.");
});

test("what a delegated run says is not the answer", async () => {
  const delegates = { toolCalls: [{ name: "delegate", args: { tier: "scout", task: "Look." } }] };
  const engine = await openEngine([delegates, "All is quiet."]);
  const tiers = { lead: { tools: ["delegate"] }, scout: { tools: [] } };
  const session = engine.session({ tiers, tier: "lead", controlTools: ["delegate"] });
  const scoutSays: string[] = [];
  const run = session.run("What is there?");
  const reading = (async () => {
    for await (const event of run) if (event.type === "token" && (event.depth ?? 0) > 0) scoutSays.push(event.text);
  })();
  expect(await textOf(run.textStream)).toBe((await run).text);
  await reading;
  expect(scoutSays.join("")).not.toBe("");
});

test("the text of an explicit completion comes, though no token of it is content", async () => {
  const engine = await openEngine([{ toolCalls: [{ name: "complete", args: { summary: "Done." } }] }]);
  const run = engine.session({ explicitCompletion: true, controlTools: ["complete"] }).run("Do it.");
  expect([await textOf(run.textStream), (await run).text]).toEqual(["Done.", "Done."]);
});

const replaced: [string, (engine: Engine) => unknown, string][] = [
  ["adds to it", (engine) => engine.hooks.on("postGenerate", () => ({ content: "It is noon. Or so." })), " Or so."],
  ["replaces it", (engine) => engine.hooks.on("postGenerate", () => ({ content: "Who knows." })), "\n\nWho knows."],
  [
    "wants another one",
    (engine) => engine.hooks.on("postGenerate", () => ({ retry: "No." }), { once: true }),
    "\n\nIt is late.",
  ],
];

test.each(replaced)("if a hook %s, the new text follows", async (_, add, more) => {
  const engine = await openEngine(["It is noon.", "It is late."]);
  add(engine);
  expect(await textOf(engine.generate("What time is it?").textStream)).toBe(`It is noon.${more}`);
});

test("held text is only the final one", async () => {
  const engine = await openEngine(["It is noon."]);
  engine.hooks.on("postGenerate", () => ({ content: "Who knows." }));
  expect(await textOf(engine.generate("What time is it?", { stream: "held" }).textStream)).toBe("Who knows.");
});

test("leaving the text cancels the call, and an error of the call is thrown", async () => {
  const engine = await openEngine(["word ".repeat(300)]);
  const generation = engine.generate("Talk.");
  for await (const _ of generation.textStream) break;
  expect((await generation).finishReason).toBe("cancelled");
  const failing = engine.generate("Talk.", { model: "absent" });
  expect(await rejection(textOf(failing.textStream))).toMatchObject({ code: "MODEL_NOT_LOADED" });
});

const ends: [string, (stream: AsyncGenerator<string, void, undefined>) => PromiseLike<unknown>][] = [
  ["return()", (stream) => stream.return()],
  ["throw()", (stream) => rejection(stream.throw(new Error("enough")))],
  ["its disposal", (stream) => stream[Symbol.asyncDispose]()],
];

test.each(ends)("%s before the first piece cancels the call, as later", async (_, end) => {
  const engine = await openEngine(["word ".repeat(300)]);
  const generation = engine.generate("Talk.");
  const { textStream } = generation;
  await end(textStream);
  expect(await textStream.next()).toEqual({ done: true, value: undefined });
  expect((await generation).finishReason).toBe("cancelled");
  const run = engine.session().run("Talk.");
  await end(run.textStream);
  expect((await run).finishReason).toBe("cancelled");
});

test("a call that has ended gives its text as a whole, to each reader", async () => {
  const engine = await openEngine(["It is noon."]);
  const generation = engine.generate("What time is it?");
  const early = textOf(generation.textStream);
  await generation;
  expect([await early, await textOf(generation.textStream)]).toEqual(["It is noon.", "It is noon."]);
});
