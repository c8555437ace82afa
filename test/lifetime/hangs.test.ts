// Work that took minutes, or never ended: an abort, close() and process.exit() end it within two seconds of processor
// time, unless it has ended by itself before. Each in a separate process.
import { expect, test } from "vitest";
import { quiet, script } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";

const endless =
  "{% for i in range(100000) %}{% for j in range(100000) %}{% if i + j %}{% endif %}{% endfor %}{% endfor %}";
const many = (count: number, one: string) => Array.from({ length: count }, () => one).join(" ");

/** Starts the work; `signal` may abort it. The chat template is that of the engine's model, and asks for the rest. */
const works: Readonly<Record<string, string>> = {
  "a template at load": `engine.models.load("other", { path: model, chatTemplate: ${JSON.stringify(endless)} }, { signal })`,
  "a template at an estimate": `engine.models.estimate({ path: model, chatTemplate: ${JSON.stringify(endless)} })`,
  "a template at a prompt": `engine.generate("loop", { signal })`,
  "a pattern": `engine.generate("Hi", { signal, jsonSchema: { type: "string", pattern: "^((a{0,100}){0,100}){0,100}$" } })`,
  "a pattern of 3,000 optional letters": `engine.generate("Hi", { signal, jsonSchema: { type: "string", pattern: "^" + "a?".repeat(3000) + "$" } })`,
  "a grammar of 3,000 optional letters": `engine.generate("Hi", { signal, grammar: ${JSON.stringify(`root ::= ${many(3000, '"a"?')}`)} })`,
  "a grammar that doubles 24 times": `engine.generate("Hi", { signal, grammar: ${JSON.stringify(doubling(24))} })`,
  "a schema of 400 properties and long enums": `engine.generate("Hi", { signal, jsonSchema: { type: "object", properties: Object.fromEntries(Array.from({ length: 400 }, (_, i) => ["p" + i, { enum: Array.from({ length: 25 }, (_, j) => "value " + i + " " + j) }])) } })`,
  "1 MB of control tokens": `engine.tokenize("<|endoftext|>".repeat(80_000), { signal, parseSpecial: true })`,
  "10 MB of text": `engine.generate("word ".repeat(2_000_000), { signal })`,
};

const ends: Readonly<Record<string, string>> = {
  abort: `stop.abort();
await work;
await engine.close();`,
  "close()": "await engine.close();\nawait work;",
  "process.exit()": "process.exit(0);",
};

function doubling(count: number): string {
  const rules = Array.from({ length: count }, (_, i) => `r${i} ::= r${i + 1} r${i + 1}`);
  return ["root ::= r0", ...rules, `r${count} ::= "a"?`].join("\n");
}

const cases = Object.entries(works).flatMap(([what, work]) =>
  Object.entries(ends).map(([how, end]) => [what, how, work, end] as const),
);

test.each(cases)("%s ends within two seconds of processor time by %s", async (_, how, work, end) => {
  const chatTemplate = `{% if messages[0].content == "loop" %}${endless}{% endif %}{{ messages[0].content }}`;
  const model = await scriptModel({ replies: ["Fine."], chatTemplate });
  const code = `
const engine = await createEngine({ ...onCpu, model });
const stop = new AbortController();
const signal = stop.signal;
const work = ${work}.catch(() => undefined);
let begun;
process.on("exit", () => {
  const { user, system } = process.cpuUsage(begun);
  console.log((user + system) / 1000);
});
await new Promise((resolve) => setTimeout(resolve, 30));
begun = process.cpuUsage();
${end}`;
  const { stdout, ...ended } = await script(code, model);
  expect(ended, how).toEqual(quiet(0));
  expect(Number(stdout)).toBeLessThan(8000);
});
