// redact(): what it masks is masked in the stream, however it is cut into tokens, and everywhere else.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Engine, type GenerateEvent, recordRun, type RunEvent } from "../../src/index.js";
import { audit, redact } from "../../src/ready-hooks/index.js";
import { endsWithPartialMatch } from "../../src/ready-hooks/partial-match.js";
import type { ScriptReply } from "../../src/testing/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { calls, resultTexts, weather } from "../support/sessions.js";

/** The texts of the token events of a generation, and what it gives. */
async function streamed(engine: Engine): Promise<[string[], string]> {
  const generation = engine.generate("Hi", { temperature: 0, maxTokens: 200 });
  const texts: string[] = [];
  for await (const event of generation as AsyncIterable<GenerateEvent>)
    if (event.type === "token") texts.push(event.text);
  return [texts, (await generation).text];
}

const said = "Call 0123-4567 or sk-abc123def, 12 of 99 times: hunter2 hunter.";
const left = "Call [#] or [#], 12 of 99 times: [#] hunter.";
const patterns = [/\b\d{4}-\d{4}\b/, /sk-[a-z0-9]{3,}/, "hunter2"];

test.each(["words", "characters", "bytes"] as const)("a secret in several tokens never shows: %s", async (split) => {
  const engine = await openEngine([{ text: said, split }]);
  engine.hooks.use(redact(patterns, { mask: "[#]" }));
  const [texts, text] = await streamed(engine);
  expect([texts.join(""), text]).toEqual([left, left]);
  // Only what may be a part of a secret is held back.
  expect(texts.filter((piece) => piece !== "").length).toBeGreaterThan(4);
});

test("without redact() it shows", async () => {
  expect((await streamed(await openEngine([{ text: said, split: "characters" }])))[0].join("")).toBe(said);
});

test("reasoning is masked, too, and what is held at the end of it", async () => {
  const engine = await openEngine([{ reasoning: "It is 1234", text: "No, 5678", split: "characters" }]);
  engine.hooks.use(redact(/\d{4,}/, { mask: "#" }));
  const generation = engine.generate("Hi", { temperature: 0, maxTokens: 200 });
  let shown = "";
  for await (const event of generation) if (event.type === "token") shown += event.text;
  const { text, reasoning } = await generation;
  expect([reasoning.trim(), text, /\d/.test(shown)]).toEqual(["It is #", "No, #", false]);
});

test.each([
  [/a(b|cd)+e/, "xab", true],
  [/a(b|cd)+e/, "xabc", true],
  [/a(b|cd)+e/, "xabd", false],
  [/a(b|cd)+e/, "xabcde", false],
  [/\d{4,6}/, "1 123456.", false],
  [/\d{4,6}/, "1 12345", true],
  [/\d{4}/, "1234", true], // its end may be the beginning of another
  [/\d{4}!/, "1234!", false],
  [/\d{4}(?!\d)/, "1234", true],
  [/key: ?(?<value>\w+?);/, "the k", true],
  [/key: ?(?<value>\w+?);/, "the key: a", true],
  [/key: ?(?<value>\w+?);/, "the key: a;", false],
  [/KEY/i, "the ke", true],
  [/^key/, "anything", true], // what stood before is not seen any more
  [/(?<=id )\w+/, "anything", true],
  [/(.)\1/, "anything", true],
  [/[^\]]\{2\}/, "a{2", true],
  [/[\p{L}\u{1f600}]{2}!/u, "😀", true],
  [/\bkey\b/, "keys", true],
  [/\bkey\b/, "keys ", false],
  [/a|bc|/, "b", true],
])("%s: %j may go on: %s", (pattern, text, expected) => {
  expect(endsWithPartialMatch(pattern)(text)).toBe(expected);
});

test("the end of a text that continues in any match is never let go", () => {
  const sources = ["ab+c?", "(?:ab|ba){2,3}", "a{2}b*", "(a|b(?=c))+c", "[ab]?c{1,2}a", "b\\B.c", "(?:a|bc){0,2}b"];
  const letters = ["a", "b", "c"];
  const texts = [1, 2, 3, 4, 5, 6].reduce<string[][]>(
    (found) => [...found, (found.at(-1) ?? []).flatMap((text) => letters.map((letter) => text + letter))],
    [[""]],
  );
  let held = 0;
  for (const source of sources) {
    const mayGrow = endsWithPartialMatch(new RegExp(source));
    for (const text of texts.flat()) {
      const every = [...text.matchAll(new RegExp(source, "g"))].map(({ index, 0: match }) => [
        index,
        index + match.length,
      ]);
      for (let cut = 1; cut < text.length; cut++) {
        if (!every.some(([from = 0, to = 0]) => from < cut && cut < to)) continue;
        held++;
        expect([source, text.slice(0, cut), mayGrow(text.slice(0, cut))]).toEqual([source, text.slice(0, cut), true]);
      }
    }
  }
  expect(held).toBeGreaterThan(1000);
});

test("what users say, what tools and tiers give, directives, tasks and completions are masked, wherever they are kept", async () => {
  const secret = "key-4711";
  const replies: ScriptReply[] = [
    calls("reveals"),
    calls("delegate", { tier: "coder", task: `Look for ${secret}.` }),
    calls("complete", { summary: `It was ${secret}.` }),
  ];
  const engine = await openEngine({
    replies,
    scripts: [{ when: "You are coder.", replies: [calls("complete", { summary: `I saw ${secret}.` })] }],
  });
  const folder = await tempDir();
  engine.hooks.use([redact(secret), audit(path.join(folder, "audit.jsonl"))]);
  const tasks: unknown[] = [];
  engine.hooks.on("loopStart", ({ messages, meta }) => void (meta.depth === 1 && tasks.push(messages.at(-1)?.content)));
  const reveals = {
    name: "reveals",
    trusted: true,
    run: (_: object, { directive }: { directive: (type: string, params: Record<string, unknown>) => void }) => {
      directive("inject_context", { content: `Mind ${secret}.` });
      directive("notify", { [secret]: [{ deep: [secret] }] });
      directive(`custom ${secret}`, {});
      return `the ${secret}`;
    },
  };
  const events: RunEvent[] = [];
  const session = engine.session({
    tools: [weather, reveals],
    controlTools: ["delegate", "complete"],
    tiers: { coder: { system: "You are coder." } },
    temperature: 0,
  });
  const recording = recordRun(session);
  const run = session.run(`My key is ${secret}.`);
  for await (const event of run) events.push(event);
  const result = await run;
  expect(result.text).toBe("It was [redacted].");
  expect(resultTexts(result).slice(0, 2)).toEqual(["the [redacted]", "I saw [redacted].\n[conversation coder-1]"]);
  expect(result.messages[0]?.content).toBe("My key is [redacted].");
  expect(JSON.stringify(result.messages)).toContain("Mind [redacted].");
  expect(tasks).toEqual(["Look for [redacted]."]);
  expect(events.flatMap((event) => (event.type === "notify" ? [event.params] : []))).toEqual([
    { "[redacted]": [{ deep: ["[redacted]"] }] },
  ]);
  await session.save(path.join(folder, "session.json"));
  await recording.save(path.join(folder, "recording.json"));
  for (const file of ["session.json", "recording.json", "audit.jsonl"])
    expect([file, (await readFile(path.join(folder, file), "utf8")).includes(secret)]).toEqual([file, false]);
  expect(JSON.stringify(result)).not.toContain(secret);
  // The call that the model wrote is its own; all other events show nothing.
  const isOfCall = (event: RunEvent): boolean =>
    event.type === "toolCallDelta" || (event.type === "token" && event.kind === "tool_call");
  const others = events.filter((event) => !isOfCall(event));
  expect(JSON.stringify(others)).not.toContain(secret);
});

test("bad patterns are refused, and said which", () => {
  expect(() => redact([])).toThrow("The patterns of redact() must be one or more, got an array of 0");
  for (const none of [/\b/, /(?=a)/, /a|(?!b)/, /^x?$/m, /(?:\bfoo)?/u])
    expect(() => redact(none)).toThrow(`A pattern of redact() matches the empty text: ${String(none)}`);
  for (const some of [/\bfoo\b/, /(?=a)\w/, /(?<=key: )\w+/, /(a)\1/, new RegExp("[a--b]", "v")]) redact(some);
  expect(() => redact(/\d*/)).toThrow("A pattern of redact() matches the empty text: /\\d*/");
  expect(() => redact("")).toThrow('A pattern of redact() must be a text that is not empty, or a RegExp, got ""');
  expect(() => redact("a", { masks: "x" } as never)).toThrow('did you mean "mask"?');
});
