// redact(): text that JSON has escaped is masked as the text that it stands for, in every value and place.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { recordRun, type RunEvent, remote } from "../../src/index.js";
import { audit, redact, type RedactOptions } from "../../src/ready-hooks/index.js";
import { Mask } from "../../src/ready-hooks/mask.js";
import { openEngine, tempDir } from "../support/engine.js";
import { openaiServer } from "../support/remote/openai-server.js";
import { calls, resultTexts } from "../support/sessions.js";

const secret = 'C:\\Users\\ada "x"\n\tpin: 1\u00e9';
const masks = (pattern: string | RegExp): Mask =>
  new Mask([typeof pattern === "string" ? new RegExp(escaped(pattern), "g") : pattern], "#");
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
const unicode = (text: string): string =>
  text.replace(/[^]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

test.each([
  ["JSON", JSON.stringify({ p: secret }), '{"p":"#"}'],
  ["JSON with spaces", JSON.stringify([{ p: `a ${secret} b` }], null, 2), JSON.stringify([{ p: "a # b" }], null, 2)],
  ["a key", JSON.stringify({ [secret]: 1, [`${secret}!`]: 2 }), '{"#":1,"#!":2}'],
  ["a list", JSON.stringify([secret, [secret]]), '["#",["#"]]'],
  ["JSON in JSON", JSON.stringify({ a: JSON.stringify({ p: secret }) }), JSON.stringify({ a: '{"p":"#"}' })],
  ["JSON in a message", `error: ${JSON.stringify({ p: secret })} (500)`, 'error: {"p":"#"} (500)'],
  ["lines of JSON", `${JSON.stringify(secret)}\n${JSON.stringify(secret)}`, '"#"\n"#"'],
  ["behind an odd quote", `say "hi: ${JSON.stringify({ p: secret })}`, 'say "hi: {"p":"#"}'],
  ["\\u escapes", `{"p":"${unicode(secret)}"}`, '{"p":"#"}'],
  ["escapes of slashes", '{"p":"a\\/b"}', '{"p":"a\\/b"}'],
  ["plain text", `It is ${secret}.`, "It is #."],
])("%s", (_, text, left) => {
  expect(masks(secret).text(text)).toBe(left);
});

test.each([
  [/a\sb/g, '{"t":"a\\nb a b"}', '{"t":"# #"}'],
  [/^sk-\w+$/g, '{"k":"sk-12","t":"not sk-12"}', '{"k":"#","t":"not sk-12"}'],
  [/(?<=key=)\w+/g, '{"t":"key=abc\\n"}', '{"t":"key=#\\n"}'],
  [/"quoted"/g, '{"t":"a \\"quoted\\" word"}', '{"t":"a # word"}'],
  [/https:\/\/in\.example\/\S+/g, '{"t":"https:\\/\\/in.example\\/a b"}', '{"t":"# b"}'],
  [/\u{1f600}/gu, '{"t":"\\ud83d\\ude00"}', '{"t":"#"}'],
  [
    /^sk-\w+$/g,
    '{ "id": 12345678901234567890, "x": 1.10, "k" : "sk-12",\n "t": "\\u0041\\/" }',
    '{ "id": 12345678901234567890, "x": 1.10, "k" : "#",\n "t": "\\u0041\\/" }',
  ],
  [
    /^sk-\w+$/g,
    '[1e400, -0, {"sk-1":"{\\"k\\": \\"sk-2\\", \\"n\\": 1.0}"}]',
    '[1e400, -0, {"#":"{\\"k\\": \\"#\\", \\"n\\": 1.0}"}]',
  ],
  [/^sk-\w+$/g, '{"sk-1": 1, "sk-2": {"sk-3": 3}, "sk-4":4}', '{"#": 1, "# 2": {"#": 3}, "# 3":4}'],
  [/^12(?:34)$/g, '[ 1234, 12345, "1234",1234 ]', '[ "#", 12345, "#","#" ]'],
  [/^sk-\w+$/g, '{"k": "sk-12" and no JSON', '{"k": "sk-12" and no JSON'],
  [/\d{4}/g, '{"n":[12,"1234"]}', '{"n":[12,"#"]}'],
])("%s in %s", (pattern, text, left) => {
  expect(masks(pattern).text(text)).toBe(left);
});

test("JSON that is nested very deeply is masked as a text", () => {
  const [open, close] = ["[".repeat(100_000), "]".repeat(100_000)];
  expect(masks(/(?:sk)-\w+/g).text(`${open}"a\\n sk-12"${close}`)).toBe(`${open}"a\\n #"${close}`);
});

test("JSON with very long strings is masked value by value", () => {
  const long = 'a\\n\\"'.repeat(2_000_000);
  expect(masks(/^sk-\w+$/g).text(`{"t":"${long}","k": "sk-12"}`) === `{"t":"${long}","k": "#"}`).toBe(true);
});

test("text without a match stays as it is, to the character", () => {
  for (const text of [
    '{"a": "C:\\\\x\\u0041",  "b":1.0}',
    "C:\\new\\table \\d+ \\",
    '{"a":"\\ud83d"}',
    "\\\\\\\\",
    '"',
  ])
    expect(masks("nothing of it").text(text)).toBe(text);
});

const values: Readonly<Record<string, () => unknown>> = {
  "an object": () => ({ p: secret }),
  "a key of an object": () => ({ [secret]: [1] }),
  "a list": () => [[secret]],
  "a text that is JSON": () => JSON.stringify({ inner: JSON.stringify(secret) }),
  "a thrown error": () => {
    throw new Error(`no access: ${JSON.stringify({ p: secret })}`);
  },
  "a thrown object": () => {
    throw Object.assign({ p: secret }, {});
  },
};

test.each(Object.entries(values))("a result that is %s shows nothing, wherever it is kept", async (_, run) => {
  const engine = await openEngine([calls("reveals"), "Done."]);
  const folder = await tempDir();
  engine.hooks.use([redact(secret), audit(path.join(folder, "audit.jsonl"))]);
  const session = engine.session({ tools: [{ name: "reveals", run }], temperature: 0 });
  const recording = recordRun(session);
  const events: RunEvent[] = [];
  const prompts: unknown[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void prompts.push(messages), { priority: 1 });
  const running = session.run("Go");
  for await (const event of running) events.push(event);
  const result = await running;
  expect(resultTexts(result)[0]).toContain("[redacted]");
  await session.save(path.join(folder, "session.json"));
  await recording.save(path.join(folder, "recording.json"));
  const files = ["session.json", "recording.json", "audit.jsonl"].map((file) =>
    readFile(path.join(folder, file), "utf8"),
  );
  const shown = [...(await Promise.all(files)), JSON.stringify([events, prompts, result.messages])];
  for (const text of shown) expect(text).not.toMatch(/Users|pin: 1/);
});

const args = { text: secret, list: [{ [secret]: secret }] };

async function withArgs(options: RedactOptions): Promise<{ shown: string; got: unknown[]; saved: string }> {
  const engine = await openEngine([{ toolCalls: [{ name: "takes", args }], split: "characters" }, "Done."]);
  const folder = await tempDir();
  engine.hooks.use([redact(secret, options), audit(path.join(folder, "audit.jsonl"))]);
  const got: unknown[] = [];
  const takes = {
    name: "takes",
    parameters: { type: "object", properties: { text: { type: "string" }, list: { type: "array" } } },
    run: (given: unknown) => {
      got.push(given);
      return "taken";
    },
  } as const;
  const session = engine.session({ tools: [takes], temperature: 0 });
  const recording = recordRun(session);
  const events: RunEvent[] = [];
  const run = session.run("Go");
  for await (const event of run) events.push(event);
  await session.save(path.join(folder, "session.json"));
  const saved = await Promise.all(
    ["session.json", "audit.jsonl"].map((file) => readFile(path.join(folder, file), "utf8")),
  );
  return {
    shown: JSON.stringify([events, await run]),
    got,
    saved: saved.join("") + JSON.stringify(recording.toJSON()),
  };
}

test("with args: true, arguments are masked before anybody sees them: tokens, deltas, the tool, files", async () => {
  const { shown, got, saved } = await withArgs({ args: true });
  expect(got).toEqual([{ text: "[redacted]", list: [{ "[redacted]": "[redacted]" }] }]);
  expect(shown).toContain("toolCallDelta");
  expect(shown).not.toMatch(/Users|pin: 1/);
  expect(saved).not.toMatch(/Users|pin: 1/);
});

test("without it, they are the tool's", async () => {
  expect((await withArgs({})).got).toEqual([args]);
});

test("an answer by a schema is masked while it is written, and the answer is what was written", async () => {
  const schema = { type: "object", properties: { p: { type: "string" } }, required: ["p"] } as const;
  const engine = await openEngine([{ text: JSON.stringify({ p: `in ${secret} it is` }), split: "characters" }]);
  engine.hooks.use(redact(secret));
  const generation = engine.generate("Hi", { temperature: 0, maxTokens: 300, jsonSchema: schema });
  let shown = "";
  for await (const event of generation) if (event.type === "token") shown += event.text;
  const { text } = await generation;
  expect([JSON.parse(shown), JSON.parse(text)]).toEqual([{ p: "in [redacted] it is" }, { p: "in [redacted] it is" }]);
});

test("prompts of generate() and of remote models are masked before they go out, unless prompts is false", async () => {
  const server = await openaiServer(() => "Fine.");
  const engine = await openEngine([], { models: { big: { provider: remote(server.url, { model: "m" }) } } });
  const hooks = engine.hooks.use(redact("hunter2"));
  const messages = [
    { role: "system", content: "The key is hunter2." },
    { role: "user", content: '{"k":"hunter2"}' },
    { role: "assistant", content: "hunter2!", toolCalls: [{ id: "1", name: "t", args: { a: "hunter2" } }] },
    { role: "tool", content: "is hunter2", toolCallId: "1", toolName: "t" },
  ] as const;
  await engine.generate(messages);
  await engine.generate("hunter2 alone");
  const session = engine.session({ system: "Mind hunter2." });
  await session.run("It is hunter2");
  expect(session.history()[0]?.content).toBe("It is [redacted]");
  hooks[Symbol.dispose]();
  engine.hooks.use(redact("hunter2", { args: true }));
  await engine.generate(messages);
  const sent = server.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(sent.map((text) => text.split("hunter2").length - 1)).toEqual([1, 0, 0, 0]); // the argument is the tool's
  const open = await openEngine([], { models: { big: { provider: remote(server.url, { model: "m" }) } } });
  open.hooks.use(redact("hunter2", { prompts: false }));
  await open.generate("hunter2 alone");
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("hunter2");
});

test("a raw prompt is masked, and a prompt without a match costs no new one", async () => {
  const engine = await openEngine(["Fine."]);
  engine.hooks.use(redact("hunter2"));
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", ({ prompt, messages }) => void seen.push(prompt ?? messages), { priority: 1 });
  await engine.generate("say hunter2", { raw: true, temperature: 0, maxTokens: 5 });
  const { decisions } = await engine.generate("Hi", { temperature: 0 });
  expect(seen).toMatchObject(["say [redacted]", [{ content: "Hi" }]]);
  const asked = decisions.filter(({ point }) => point === "preGenerate");
  expect(asked.flatMap(({ hooks }) => hooks.map(({ name, fields }) => [name, fields])).at(0)).toEqual(["redact", []]);
});
