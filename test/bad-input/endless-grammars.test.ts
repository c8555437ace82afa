// Grammars and schemas for which llama.cpp's sampler would not end are refused; the ones that people use work.
import { expect, onTestFinished, test } from "vitest";
import { createEngine, LlamaHooksError, type Engine, type JsonSchema } from "../../src/index.js";
import { quiet, script } from "../fixtures/child.js";
import { isLong } from "../support/amount.js";
import { openEngine, scriptModel, unwilling } from "../support/engine.js";
import { templateSource } from "../support/templates/template-files.js";

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join("");
const doubling = (count: number, rule: (before: string) => string, first: string): string =>
  `root ::= r${count}\nr0 ::= ${first}\n${many(count, (i) => `r${i + 1} ::= ${rule(`r${i}`)}\n`)}`;

/** Ten ways to go on after each letter. */
const bomb = `bomb ::= ${'"z" bomb | '.repeat(10)}""`;

const patterns: Readonly<Record<string, string>> = {
  "nested counts": "^((a{0,100}){0,100}){0,100}$",
  "nested counts of a class": "^(([a-z]{0,50}){0,50}){0,50}$",
  "nested counts with text": "^x((a{0,99}b?){0,99}c?){0,99}$",
  "nested counts far in": "^[0-9]{8}-((a{0,60}){0,60}){0,60}$",
  "nested optional stars": "^((a*)?(b*)?){0,200}$",
  "3,000 optional letters": `^${"a?".repeat(3000)}$`,
  "1,000 optional letters at the end": `^start${"a?".repeat(1000)}$`,
  "300 optional classes": `^${"[a-z]?".repeat(300)}$`,
  "200 optional groups": `^${"(ab|a)?".repeat(200)}$`,
  "30 stars in a row": `^${"a*".repeat(30)}$`,
  "stars of classes in a row": `^${"[a-z]*".repeat(20)}$`,
  "words with optional spaces": String.raw`^(\w+\s?)*$`,
  "equal alternatives": "^(a|a|a)*$",
  "overlapping alternatives": "^([a-z]|[a-m]|[b-f])+$",
  "a counted group of equals": "^(a|a){0,60}$",
  "one or two letters": "^(a|aa)+$",
};

const grammars: Readonly<Record<string, string>> = {
  "3,000 optional letters": `root ::= ${'"a"? '.repeat(3000)}`,
  "3,000 optional letters after a word": `root ::= "word" ${'"a"? '.repeat(3000)}`,
  "200 optional rules": `root ::= ${"x ".repeat(200)}\nx ::= "a" | ""`,
  "24 doubling rules over one that may be empty": doubling(24, (r) => `${r} ${r}`, '"a"?'),
  "40 doubling rules over one that may be empty": doubling(40, (r) => `${r} ${r}`, '"a" | ""'),
  "40 doubling rules after a text": `${doubling(40, (r) => `${r} ${r}`, '"a"?').replace("root ::=", 'root ::= "start"')}`,
  "40 rules that are alternatives to themselves": doubling(40, (r) => `${r} | ${r}`, '"a"'),
  "40 rules that end in two ways": doubling(40, (r) => `${r} "x" | ${r} "y"`, '"a"'),
  "14 tripling rules": doubling(14, (r) => `${r} ${r} ${r}`, '"a"?'),
  "equal alternatives in a star": 'root ::= ("a" | "a" | "a")*',
  "equal alternatives in a counted group": 'root ::= ("a" | "a"){0,100} "b"',
  "equal classes in a plus": "root ::= ([a-z] | [a-z])+",
  "equal alternatives far in": 'root ::= "a long beginning: " [0-9]{20} ("a" | "a")*',
  "stars in a row": `root ::= ${'"a"* '.repeat(40)}`,
  "spaces in a row": `root ::= ${"ws ".repeat(30)} "x"\nws ::= [ \\t]*`,
  "counts in a row": `root ::= ${'"a"{0,50} '.repeat(30)}`,
  "counts of counts": 'root ::= (("a"{0,40}){0,40}){0,40}',
  "recursion before a part that may be empty": 'root ::= "a" root ws | "b"\nws ::= [ ]*',
  "recursion in the middle of parts that may be empty": 'root ::= "(" x | "b"\nx ::= root ws ws\nws ::= " "*',
  "recursion twice over a rule that may be empty": 'root ::= "a" root root | ""',
  "recursion to the right over two ways": 'root ::= "a" root | "a" root | "b"',
  "a loop to the left behind a rule that may be empty": 'root ::= a root "x" | "y"\na ::= b\nb ::= "c" | ""',
  "a loop to the left behind two of them": 'root ::= a a root "x" | "y"\na ::= b\nb ::= c\nc ::= "c" | ""',
  "a loop to the left far in": 'root ::= "go" x\nx ::= a x "x" | "y"\na ::= b\nb ::= "c"?',
  "two million stacks for a token": `root ::= ${`(${'"a" | '.repeat(60)} "b") `.repeat(6)}`,
  "a costly rule behind one that is used twice": `root ::= "p" a "x" | "q" a bomb\na ::= b "z"\nb ::= "t"\n${bomb}`,
  "a costly letter behind cheap ones": `root ::= ${many(16, (i) => `"${i.toString(16).toUpperCase()}" root | `)}${'"z" root | '.repeat(10)}""`,
  "a costly rule behind a negated class": `root ::= [^a 0/] bomb\n${bomb}`,
  "many rules behind one letter": `root ::= ${many(100, (i) => `"${String.fromCodePoint(0x100 + i)}" a${i} | "\u7fff" a${i} | `)}"."\n${many(100, (i) => `a${i} ::= "a" (${many(60, (j) => `"${String.fromCodePoint(0x4e00 + 60 * i + j)}" | `)}"b")\n`)}`,
  "a million ways to nothing": `root ::= a "x"\na ::= ${"b | ".repeat(1500)}b\nb ::= ${"| ".repeat(1500)}"y"`,
  "20,000 rules that begin with each other": `root ::= r0\n${many(20_000, (i) => `r${i} ::= r${i + 1}\n`)}r20000 ::= "a"`,
};

const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: "object", properties });
const text = (pattern: string): JsonSchema => ({ type: "string", pattern });
const inSchemas = (pattern: string): Readonly<Record<string, JsonSchema>> => ({
  alone: text(pattern),
  "in an array": { type: "array", items: text(pattern) },
});

/** Asks while an innocent generation runs, which must end as ever; what is refused must not wait for it. */
async function refusal(engine: Engine, options: object): Promise<unknown> {
  const beside = engine.generate("Hi");
  let error: unknown;
  try {
    await engine.generate("Hi", { maxTokens: 4, temperature: 0, ...options });
  } catch (caught) {
    error = caught;
  }
  expect((await beside).text).toBe("Fine.");
  return error;
}

function expectRefused(error: unknown, code: string): void {
  expect(error).toBeInstanceOf(LlamaHooksError);
  expect(error).toMatchObject({ code });
}

/** These take a second or more each, as others like them, which the sample has. */
const leftToLong = [
  "3,000 optional letters after a word",
  "40 doubling rules over one that may be empty",
  "40 doubling rules after a text",
  "14 tripling rules",
];
const grammarsOfRun = Object.entries(grammars).filter(([name]) => isLong || !leftToLong.includes(name));
test.each(grammarsOfRun)("a grammar with %s is refused", async (_, grammar) => {
  const engine = await openEngine(unwilling("Fine."));
  expectRefused(await refusal(engine, { grammar }), "INVALID_GRAMMAR");
});

/** Each way takes the check as long: a sample takes one for each pattern, in turn. */
const patternsAndTurns = Object.entries(patterns).map(([name, pattern], turn) => [name, pattern, turn] as const);
test.each(patternsAndTurns)("a pattern with %s is refused", async (_, pattern, turn) => {
  const engine = await openEngine(unwilling("Fine."));
  const tools = [{ name: "find", parameters: object({ name: text(pattern) }) }];
  const schemas = Object.values(inSchemas(pattern)).map((jsonSchema) => ({ jsonSchema, strictSchema: true }));
  const ways = [...schemas, { tools }];
  for (const options of isLong ? ways : [ways[turn % ways.length] ?? {}]) {
    expectRefused(await refusal(engine, options), "INVALID_SCHEMA");
  }
});

const address = { ...object({ street: { type: "string" }, city: { type: "string" } }), required: ["street"] };
const word: JsonSchema = { type: "string" };
const used: Readonly<Record<string, JsonSchema>> = {
  "nested objects with optional properties": object({
    name: word,
    home: address,
    work: object({ address, since: { type: "integer" } }),
  }),
  "40 optional properties": object(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`name${i}`, word]))),
  "400 optional properties": object(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`name${i}`, word]))),
  "an enum of 200": { enum: Array.from({ length: 200 }, (_, i) => `value ${i}`) },
  "an enum of 9,990": { enum: Array.from({ length: 9990 }, (_, i) => `value ${i}`) },
  "an enum of numbers": { enum: Array.from({ length: 200 }, (_, i) => i) },
  "a date": text(String.raw`^\d{4}-\d{2}-\d{2}$`),
  "a date and time": { type: "string", format: "date-time" },
  "an e-mail address": text(String.raw`^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$`),
  "a uuid": text("^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"),
  "a version": text(
    String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`,
  ),
  "a web address": text(String.raw`^https?:\/\/[a-z0-9.-]+(:\d+)?(\/[\w./-]*)?$`),
  "a telephone number": text(String.raw`^\+?[0-9]{1,3}[ -]?(\([0-9]{1,4}\))?[ -]?[0-9]{3,12}$`),
  "a plus of a plus": text("^(a+)+$"),
  "a star of stars": text("^([a-z]*)*b$"),
  "a colour": text("^#([0-9a-f]{3}|[0-9a-f]{6})$"),
  "an IPv4 address": text(String.raw`^((25[0-5]|(2[0-4]|1\d|[1-9]|)\d)\.?\b){4}$`),
  "a slug": text("^[a-z0-9]+(-[a-z0-9]+)*$"),
  "a name of limited length": text("^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$"),
  "0 to 50 items": { type: "array", items: { type: "integer" }, minItems: 0, maxItems: 50 },
  "5 to 50 objects": { type: "array", items: address, minItems: 5, maxItems: 50 },
  "arrays of arrays": {
    type: "array",
    maxItems: 50,
    items: { type: "array", maxItems: 50, items: { type: "array", maxItems: 50, items: { type: "number" } } },
  },
  "a long text": { type: "string", minLength: 1, maxLength: 2000 },
  "160 texts of limited length": object(
    Object.fromEntries(Array.from({ length: 160 }, (_, i) => [`name${i}`, { type: "string", maxLength: 255 }])),
  ),
  "an enum of texts with a long beginning": {
    enum: Array.from({ length: 1500 }, (_, i) => `${"beginning ".repeat(50)}${"a".repeat(i)}`),
  },
  "a range of integers": { type: "integer", minimum: -9_999_999, maximum: 123_456_789 },
  "a tree": {
    $defs: { n: object({ value: word, children: { type: "array", items: { $ref: "#/$defs/n" } } }) },
    $ref: "#/$defs/n",
  },
  "items of several shapes": {
    type: "array",
    items: { anyOf: Array.from({ length: 20 }, (_, i) => object({ [`field${i}`]: word, other: { type: "integer" } })) },
  },
  "nullable properties": object({ a: { type: ["string", "null"] }, b: { anyOf: [{ type: "null" }, address] } }),
  anything: {},
};

test.each(Object.entries(used))("a schema with %s works, and is what a tool takes", async (_, jsonSchema) => {
  const engine = await openEngine(unwilling("Fine."));
  expect(await refusal(engine, { jsonSchema, maxTokens: 3 })).toBeUndefined();
  if (JSON.stringify(jsonSchema).length > 3000) return; // the prompt would be longer than the context
  const tools = [{ name: "find", parameters: object({ value: jsonSchema.$defs === undefined ? jsonSchema : word }) }];
  expect(await refusal(engine, { tools, toolChoice: "required", maxTokens: 3 })).toBeUndefined();
});

const usedGrammars: Readonly<Record<string, string>> = {
  arithmetic:
    'root ::= (expr "=" ws term "\\n")+\nexpr ::= term ([-+*/] term)*\nterm ::= num | "(" ws expr ")" ws\nnum ::= [0-9]+ ws\nws ::= [ \\t\\n]*',
  JSON: 'root ::= object\nvalue ::= object | array | string | ("true" | "false" | "null") ws\nobject ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws\narray ::= "[" ws (value ("," ws value)*)? "]" ws\nstring ::= "\\"" ([^"\\\\] | "\\\\" ["\\\\/bfnrt])* "\\"" ws\nws ::= ([ \\t\\n] ws)?',
  "a list": 'root ::= item+\nitem ::= "- " [^\\r\\n]+ "\\n"',
  "an else that dangles": 'root ::= stmt\nstmt ::= "if (x) " stmt (" else " stmt)? | "y;"',
  "letters of a large script": `root ::= [${many(3000, (i) => String.fromCodePoint(0x4e00 + 2 * i))}]{1,200}`,
  "spaces around": 'root ::= ws* "x" ws*\nws ::= [ \\t]*',
};

test.each(Object.entries(usedGrammars))("a grammar for %s works", async (_, grammar) => {
  const engine = await openEngine(unwilling("Fine."));
  expect(await refusal(engine, { grammar })).toBeUndefined();
});

/**
 * Tokens such as vocabularies have them, for indents, rules of dashes and line ends: long, and no words. What does not
 * fit at their ends is tried in every way.
 */
const longTokens = ["a-".repeat(40), "\r\n".repeat(40), "-+=".repeat(40), "ab.".repeat(40)].map((one) => `${one}!`);
const alike: Readonly<Record<string, string>> = {
  "a letter and a dash": 'root ::= ("a-" | "a-")*',
  "line ends": String.raw`root ::= "x"? ("\r\n" | "\r" "\n")*`,
  "three characters": 'root ::= ("-+=" | "-" "+" "=")+',
  "classes of three": 'root ::= ([a-z] "b" "." | "a" [a-z] [.])+',
};

test.each(Object.entries(alike))("ways that double along one token, of %s, are refused", async (_, grammar) => {
  const engine = await openEngine(unwilling({ pieces: longTokens }));
  let error: unknown;
  try {
    await engine.generate("Hi", { maxTokens: 4, temperature: 0, grammar });
  } catch (caught) {
    error = caught;
  }
  expectRefused(error, "INVALID_GRAMMAR");
});

test("tools are checked together, in the form that the template gives them", async () => {
  const engine = await openEngine({ ...unwilling("Fine."), contextLength: 65_536 });
  const names = Array.from({ length: 8 }, (_, i) => `tool_${i}`);
  const choice: JsonSchema = { enum: Array.from({ length: 16 }, (_, i) => `value ${i}`) };
  const tools = names.map((name) => ({ name, parameters: object({ a: choice, b: text("^[a-z]{0,9}$") }) }));
  expect(await refusal(engine, { tools: tools, toolChoice: "required", maxTokens: 3 })).toBeUndefined();
});

test("the spaces of a template's own grammar cost no tools, though the vocabulary has 31 line ends as one token", async () => {
  const chatTemplate = templateSource("Qwen-Qwen2.5-7B-Instruct");
  const model = await scriptModel(unwilling({ pieces: ["\n".repeat(31), "Fine."] }));
  const engine = await createEngine({ model, gpu: false, threads: 1, chatTemplate });
  onTestFinished(() => engine.close());
  const parameters = object({ name: word, unit: { enum: ["metres", "knots"] }, limit: { type: "integer" } });
  const tools = Array.from({ length: 12 }, (_, i) => ({ name: `look_up_${i}`, parameters }));
  const { finishReason } = await engine.generate("Hi", { tools, maxTokens: 1 }); // it was INVALID_SCHEMA
  expect(finishReason).toBe("length");
});

test("references 1,000 deep are refused: the converter recurses", async () => {
  const engine = await openEngine(unwilling("Fine."));
  const chain = (count: number): JsonSchema => ({
    $defs: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`d${i}`, i + 1 < count ? { $ref: `#/$defs/d${i + 1}` } : word]),
    ),
    $ref: "#/$defs/d0",
  });
  expectRefused(await refusal(engine, { jsonSchema: chain(1000) }), "INVALID_SCHEMA");
  expect(await refusal(engine, { jsonSchema: chain(300) })).toBeUndefined();
});

const merging = ($defs: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ $defs, $ref: "#/$defs/a" });
const copied = (to: string): JsonSchema => ({ allOf: [{ $ref: `#/$defs/${to}` }] });
const inAllOf: Readonly<Record<string, JsonSchema>> = {
  "references in a circle": merging({ a: copied("b"), b: { $ref: "#/$defs/c" }, c: { $ref: "#/$defs/b" } }),
};

test.each(Object.entries(inAllOf))("an allOf with %s is refused, and the process lives", async (_, jsonSchema) => {
  const model = await scriptModel(unwilling("Fine."));
  const code = `
const engine = await createEngine({ ...onCpu, model });
const jsonSchema = ${JSON.stringify(jsonSchema)};
const refused = await engine.generate("Hi", { jsonSchema }).catch(({ code }) => code);
const tools = [{ name: "find", parameters: { type: "object", properties: { a: {} }, ...jsonSchema } }];
const { text } = await engine.generate("Hi");
process.stdout.write(refused + " " + (await engine.generate("Hi", { tools }).catch(({ code }) => code)) + " " + text);
await engine.close();`;
  expect(await script(code, model)).toEqual({ ...quiet(0), stdout: "INVALID_SCHEMA INVALID_SCHEMA Fine." });
});

const ending: Readonly<Record<string, JsonSchema>> = {
  "an alternative that leads back": merging({
    a: object({ next: { allOf: [{ anyOf: [word, { $ref: "#/$defs/a" }] }, { type: "object" }] } }),
  }),
  "an alternative that is the choice itself": merging({
    a: { type: "object", anyOf: [object({ next: word }), copied("a")] },
  }),
  "a copy of an object": { $defs: { a: object({ name: word, next: { $ref: "#/$defs/a" } }) }, ...copied("a") },
  "an object that is a part of itself": merging({ a: object({ next: copied("a") }) }),
  "two objects in a circle": merging({ a: object({ b: copied("b") }), b: object({ a: copied("a"), c: word }) }),
  "30 objects that double": merging(
    Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => {
        const next = i < 29 ? copied(`d${i + 1}`) : word;
        return [i === 0 ? "a" : `d${i}`, object({ x: next, y: next })];
      }),
    ),
  ),
};

test.each(Object.entries(ending))("an allOf with %s works", async (_, jsonSchema) => {
  const engine = await openEngine(unwilling("Fine."));
  expect(await refusal(engine, { jsonSchema, strictSchema: true, maxTokens: 3 })).toBeUndefined();
});

test("what is checked ends soon after an abort, and is checked anew afterwards", async () => {
  const engine = await openEngine(unwilling("Fine."));
  const long = (count: number): JsonSchema =>
    object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, { type: "string", maxLength: 900 }])));
  const tools = Array.from({ length: 40 }, (_, i) => ({ name: `t${i}`, parameters: long(60 + i) }));
  const stop = new AbortController();
  const begun = process.cpuUsage();
  const running = engine.generate("Hi", { tools, signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  await running.then(
    ({ finishReason }) => expect(finishReason).toBe("cancelled"),
    (error: unknown) => expect(error).toMatchObject({ code: "INVALID_SCHEMA" }),
  );
  const { user, system } = process.cpuUsage(begun);
  expect(user + system).toBeLessThan(15e6);
  expect((await engine.generate("Hi")).text).toBe("Fine.");
});
