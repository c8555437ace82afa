import { expect, test } from "vitest";
import type { GenerateParams } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { traced } from "../support/trace.js";

test("each hook sees what the hooks before it changed", async () => {
  const engine = await openEngine(["a"]);
  const seen: string[] = [];
  for (const letter of ["b", "c", "d"]) {
    engine.hooks.on("postGenerate", ({ content }) => {
      seen.push(content);
      return { content: content + letter };
    });
  }
  expect((await engine.generate("hi")).text).toBe("abcd");
  expect(seen).toEqual(["a", "ab", "abc"]);
});

test("fields that an answer leaves out stay, and a field in it is replaced whole", async () => {
  const engine = await openEngine(["one two three"]);
  const seen: GenerateParams[] = [];
  const contents: (string | undefined)[] = [];
  const watching = engine.hooks.on("preGenerate", ({ params }) => void seen.push(params));
  await engine.generate("hi");
  watching.dispose();
  engine.hooks.on("preGenerate", () => ({ params: { maxTokens: 1 } }));
  engine.hooks.on("preGenerate", ({ params, messages }) => {
    seen.push(params);
    contents.push(messages[0]?.content);
  });
  const { finishReason } = await engine.generate("hi", { temperature: 0.5, topK: 7 });
  expect(finishReason).toBe("length");
  expect(seen[1]).toEqual({ ...seen[0], maxTokens: 1 }); // with the defaults, not with what the caller had asked for
  expect(contents).toEqual(["hi"]);
});

test("returning the whole event with one change is a change of that field alone", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", (event) => ({ ...event, messages: [{ role: "user", content: "bye" }] }), {
    name: "whole",
  });
  const { decisions, finishReason } = await engine.generate("hi");
  expect(finishReason).toBe("stop");
  expect(decisions[0]?.hooks).toMatchObject([{ name: "whole", outcome: "modified" }]);
  expect(decisions[0]?.hooks[0]?.fields).toContain("messages");
});

test("changing the event itself does nothing: what counts is what the handler returns", async () => {
  const engine = await openEngine(["Hello."]);
  const seen: unknown[] = [];
  engine.hooks.on("postGenerate", (event) => {
    (event as { content: string }).content = "forged";
    (event.toolCalls as unknown[]).push({ name: "shell", args: {} });
  });
  engine.hooks.on("postGenerate", ({ content, toolCalls }) => void seen.push(content, toolCalls));
  const { text, toolCalls } = await engine.generate("hi");
  expect([text, toolCalls]).toEqual(["Hello.", []]);
  expect(seen).toEqual(["Hello.", []]);
});

test("a hook with originalContext sees what no hook has changed, and the last writer wins", async () => {
  const engine = await openEngine(["raw"]);
  const seen: string[] = [];
  engine.hooks.on("postGenerate", () => ({ content: "changed" }));
  engine.hooks.on(
    "postGenerate",
    ({ content }) => {
      seen.push(content);
      return { content: `${content} again` };
    },
    { originalContext: true },
  );
  engine.hooks.on("postGenerate", ({ content }) => void seen.push(content));
  engine.hooks.on("postGenerate", ({ content }) => void seen.push(content), { originalContext: true });
  expect((await engine.generate("hi")).text).toBe("raw again");
  expect(seen).toEqual(["raw", "raw again", "raw"]);
});

test("the last of several answers that stand beside the event wins", async () => {
  const engine = await openEngine(["Hello."]);
  for (const response of ["first", "second"]) engine.hooks.on("preGenerate", () => ({ response }));
  expect((await engine.generate("hi")).text).toBe("second");
});

test("a hook that fails leaves no half of its answer behind", async () => {
  const engine = await openEngine(["Hello."]);
  const one = engine.hooks.on("postGenerate", () => ({ content: "half", oddField: 7 }) as never);
  expect((await engine.generate("hi")).text).toBe("Hello.");
  one.dispose();
  // A refusal counts, and nothing else of such an answer.
  engine.hooks.on("postGenerate", () => ({ content: "half", halt: 7 }) as never, { name: "brake" });
  const { text, halt } = await engine.generate("hi");
  expect([text, halt]).toMatchObject(["Hello.", { by: "brake" }]);
});

test("what hooks put in place of a secret is all that anyone gets to see of it", async () => {
  const engine = await openEngine([{ pieces: ["my key is ", "swordfish", "."] }]);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.replace("swordfish", "*********") }));
  const streamed: unknown[] = [];
  const shown: unknown[] = [];
  engine.hooks.on("postGenerate", (event) => void shown.push({ ...event }));
  const events = await traced(engine, async () => {
    for await (const event of engine.generate("hi")) streamed.push(event);
  });
  expect(streamed.at(-1)).toMatchObject({ result: { text: "my key is *********." } });
  expect(JSON.stringify([streamed, shown, events])).not.toContain("swordfish");
});

test("tool calls written into replaced content count, and without any the model's own stay", async () => {
  const engine = await openEngine([{ text: "Looking.", toolCalls: [{ name: "look", args: { at: "sky" } }] }]);
  const tools = [{ name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } }] as const;
  const plain = engine.hooks.on("postGenerate", () => ({ content: "Redacted." }));
  const kept = await engine.generate("hi", { tools });
  expect([kept.text, kept.toolCalls]).toMatchObject(["Redacted.", [{ name: "look", args: { at: "sky" } }]]);
  plain.dispose();
  const call = '<tool_call>\n{"name": "look", "arguments": {"at": "sea"}}\n</tool_call>';
  engine.hooks.on("postGenerate", () => ({ content: call }));
  const changed = await engine.generate("hi", { tools });
  expect(changed.toolCalls).toMatchObject([{ name: "look", args: { at: "sea" } }]);
});
