import { expect, test } from "vitest";
import type { Engine, GenerateOptions, ToolSpec } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

const look: ToolSpec = { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } };
const full = { reasoning: "I must look.", text: "Looking.", toolCalls: [{ name: "look", args: { at: "sky" } }] };

/** The text that a reader shows at the end if it takes tokens as they come and obeys `replaced`. */
async function shown(engine: Engine, options: GenerateOptions = {}): Promise<{ screen: string; text: string }> {
  let screen = "";
  let text = "";
  for await (const event of engine.generate("hi", options)) {
    if (event.type === "token" && event.kind === "content") screen += event.text;
    if (event.type === "replaced") screen = event.text;
    if (event.type === "end") text = event.result.text;
  }
  return { screen, text };
}

test("tokens say which part of the message they belong to, part after part", async () => {
  const engine = await openEngine([full]);
  const parts: { kind: string; text: string }[] = [];
  engine.hooks.on("streamToken", ({ kind, text }) => {
    if (text === "") return; // markup, which is part of nothing
    if (parts.at(-1)?.kind !== kind) parts.push({ kind, text: "" });
    const part = parts.at(-1);
    if (part !== undefined) part.text += text;
  });
  const { text } = await engine.generate("hi", { tools: [look] });
  expect(parts.map(({ kind }) => kind)).toEqual(["reasoning", "content", "tool_call"]);
  expect(parts[0]?.text).toContain("I must look.");
  expect([parts[1]?.text, text]).toEqual(["Looking.", "Looking."]);
  expect(parts[2]?.text).toContain("sky");
});

test("what a token hook makes of the reasoning is all that is left of it", async () => {
  const engine = await openEngine([full]);
  engine.hooks.on("streamToken", () => ({ drop: true }), { when: { kind: "reasoning" } });
  const { reasoning, text, toolCalls } = await engine.generate("hi", { tools: [look] });
  expect([reasoning, text]).toEqual(["", "Looking."]);
  expect(toolCalls).toMatchObject([{ name: "look", args: { at: "sky" } }]);
});

test("what a token hook makes of a tool call is what is called", async () => {
  const engine = await openEngine([full]);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.replace("sky", "sea") }), { when: { kind: "tool_call" } });
  const { toolCalls } = await engine.generate("hi", { tools: [look] });
  expect(toolCalls).toMatchObject([{ name: "look", args: { at: "sea" } }]);
});

test("held text is flushed where its part ends, not mixed into the next", async () => {
  const engine = await openEngine([full]);
  engine.hooks.on("streamToken", () => ({ hold: true }));
  const { reasoning, text, toolCalls } = await engine.generate("hi", { tools: [look] });
  expect(reasoning).toContain("I must look.");
  expect(text).toBe("Looking.");
  expect(toolCalls).toMatchObject([{ name: "look", args: { at: "sky" } }]);
});

test("a hook that holds text to the end is asked for it once more, and masks it then", async () => {
  const engine = await openEngine([{ pieces: ["My PIN is ", "123", "456"] }]);
  const asked: (string | boolean)[][] = [];
  engine.hooks.on("streamToken", ({ text, final = false }) => {
    asked.push([text, final]);
    if (final) return { text: text.replaceAll(/\d{6}/g, "######") };
    return /\d$/.test(text) ? { hold: true } : undefined;
  });
  expect(await shown(engine)).toEqual({ screen: "My PIN is ######", text: "My PIN is ######" });
  expect(asked).toEqual([
    ["My PIN is ", false],
    ["123", false],
    ["123456", false],
    ["123456", true],
  ]);
});

test("a hook is asked once more at the end of each part, before the next begins", async () => {
  const engine = await openEngine([full]);
  const finals: string[] = [];
  engine.hooks.on("streamToken", ({ text, kind, final = false }) => {
    if (final) finals.push(`${kind}: ${text.trim()}`);
    return final ? { text: kind === "tool_call" ? text : text.toUpperCase() } : { hold: true };
  });
  const { reasoning, text, toolCalls } = await engine.generate("hi", { tools: [look] });
  expect(finals.slice(0, 2)).toEqual(["reasoning: I must look.", "content: Looking."]);
  expect(finals[2]).toMatch(/^tool_call: .*sky/s);
  expect([reasoning.trim(), text]).toEqual(["I MUST LOOK.", "LOOKING."]);
  expect(toolCalls).toMatchObject([{ name: "look", args: { at: "sky" } }]);
});

test("held text of a call that was cancelled is not flushed past the hook that holds it", async () => {
  const engine = await openEngine([{ pieces: ["key ", "sword", "fish", " and", " on"] }]);
  const abort = new AbortController();
  engine.hooks.on("streamToken", ({ text, final = false }) => {
    if (text.endsWith("fish")) abort.abort();
    if (final) return new Promise<undefined>(() => undefined);
    return text.startsWith("sword") ? { hold: true } : undefined;
  });
  const { text, finishReason } = await engine.generate("hi", { signal: abort.signal });
  expect([text, finishReason]).toEqual(["key ", "cancelled"]);
});

test("a token that ends a text and begins a call is two pieces to the hook", async () => {
  const call = '<tool_call>\n{"name": "look", "arguments": {"at": "sky"}}\n</tool_call>';
  const engine = await openEngine([{ pieces: ["Now", ` 1.${call.slice(0, 40)}`, call.slice(40)] }]);
  const seen: string[] = [];
  engine.hooks.on("streamToken", ({ kind, text }) => void seen.push(`${kind}: ${text}`));
  const { text, toolCalls } = await engine.generate("hi", { tools: [look] });
  expect(seen.filter((line) => line.startsWith("content"))).toEqual(["content: Now", "content:  1."]);
  expect(
    seen
      .filter((line) => line.startsWith("tool_call"))
      .map((line) => line.slice(11))
      .join(""),
  ).toBe(call);
  expect([text, toolCalls]).toMatchObject(["Now 1.", [{ name: "look", args: { at: "sky" } }]]);
});

test("digits masked in everything change the arguments of a call, and no more", async () => {
  const engine = await openEngine([
    { reasoning: "At 7?", text: "At 8.", toolCalls: [{ name: "look", args: { at: "9th star" } }] },
  ]);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.replaceAll(/\d/g, "#") }));
  const { reasoning, text, toolCalls } = await engine.generate("hi", { tools: [look] });
  expect([reasoning.trim(), text]).toEqual(["At #?", "At #."]);
  expect(toolCalls).toMatchObject([{ name: "look", args: { at: "#th star" } }]);
});

test("dropping every token leaves nothing, anywhere", async () => {
  const engine = await openEngine(["Not a word."]);
  engine.hooks.on("streamToken", () => ({ drop: true }));
  expect(await shown(engine)).toEqual({ screen: "", text: "" });
});

test("characters of several tokens come whole, and bytes that are none are replaced", async () => {
  const euro = Buffer.from("€");
  const engine = await openEngine([
    { pieces: ["5 ", euro.subarray(0, 1), euro.subarray(1, 2), euro.subarray(2), " or ", Uint8Array.of(0xff), "."] },
  ]);
  const texts: string[] = [];
  engine.hooks.on("streamToken", ({ text }) => void texts.push(text));
  const { text } = await engine.generate("hi");
  expect(text).toBe("5 € or \uFFFD.");
  expect(texts.join("")).toBe(text);
  expect(texts).toContain("€");
});

test("a token hook that fails is in the decisions of the result, and its token stays as it was", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  const thrown = new Error("two is too much");
  const picky = ({ text }: { text: string }): undefined => {
    if (text === " two") throw thrown;
  };
  engine.hooks.on("streamToken", picky, { name: "picky" });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("one two three");
  expect(decisions).toMatchObject([{ point: "streamToken", hooks: [{ name: "picky", outcome: "failed" }] }]);
  expect(decisions[0]?.hooks[0]?.error?.cause).toBe(thrown);
});

test("a token whose hook was cut off by a cancel is left out: it must not slip through unchanged", async () => {
  const engine = await openEngine([{ pieces: ["my key is ", "swordfish", "."] }]);
  const abort = new AbortController();
  const mask = ({ text }: { text: string }): Promise<undefined> | undefined => {
    if (text !== "swordfish") return undefined;
    abort.abort();
    return new Promise(() => undefined);
  };
  engine.hooks.on("streamToken", mask, { deadlineMs: 0 });
  const { text, finishReason } = await engine.generate("hi", { signal: abort.signal });
  expect([text, finishReason]).toEqual(["my key is ", "cancelled"]);
});

test("postGenerate redacts a cancelled message too", async () => {
  const engine = await openEngine([{ pieces: [" key"], endless: true }]);
  const abort = new AbortController();
  engine.hooks.on("streamToken", ({ tokenIndex }) => {
    if (tokenIndex === 3) abort.abort();
  });
  engine.hooks.on("postGenerate", async ({ content, finishReason }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { content: `${finishReason}: ${content.replaceAll("key", "***")}` };
  });
  const { text } = await engine.generate("hi", { signal: abort.signal });
  expect(text).toMatch(/^cancelled: /);
  expect(text).not.toContain("key");
});

test("a reader of the stream ends up with the text of the result, whatever postGenerate did", async () => {
  const engine = await openEngine(["It is 7.", "It is seven."]);
  engine.hooks.on("postGenerate", ({ content }) => (content.includes("7") ? { retry: "In words." } : undefined));
  for (const stream of ["held", "live"] as const) {
    expect(await shown(engine, { stream })).toEqual({ screen: "It is seven.", text: "It is seven." });
  }
  engine.hooks.on("postGenerate", ({ content }) => ({ content: content.toUpperCase() }));
  for (const stream of ["held", "live"] as const) {
    expect(await shown(engine, { stream })).toEqual({ screen: "IT IS SEVEN.", text: "IT IS SEVEN." });
  }
});

test("a retry that never satisfies is tried three times, and the last answer stands", async () => {
  const engine = await openEngine({ replies: ["a", "b", "c", "d", "e"] });
  let asked = 0;
  engine.hooks.on("postGenerate", () => {
    asked++;
    return { retry: "Better." };
  });
  expect([(await engine.generate("hi")).text, asked]).toEqual(["d", 4]);
});

test("a response that a hook gives is taken apart like a model's: it may hold tool calls", async () => {
  const engine = await openEngine(["unused"]);
  const call = '<tool_call>\n{"name": "look", "arguments": {"at": "sea"}}\n</tool_call>';
  engine.hooks.on("preGenerate", () => ({ response: `Cached.${call}` }));
  const { text, toolCalls } = await engine.generate("hi", { tools: [look] });
  expect([text, toolCalls]).toMatchObject(["Cached.", [{ name: "look", args: { at: "sea" } }]]);
});

test("later hooks are not asked about text that was dropped", async () => {
  const engine = await openEngine([{ pieces: ["open", " secret", " again"] }]);
  const seen: string[] = [];
  engine.hooks.on("streamToken", () => ({ drop: true }), { when: { text: " secret" } });
  engine.hooks.on("streamToken", ({ text }) => void seen.push(text));
  expect((await engine.generate("hi")).text).toBe("open again");
  expect(seen).toEqual(["open", " again"]);
});
