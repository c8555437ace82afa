import { expect, test } from "vitest";
import { defineHooks, type Engine, type GenerateOptions, type HookOptions, type ToolSpec } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";

const secret = [{ pieces: ["key ", "sec", "ret", "."] }];

/** Notes what the hook is shown: `final:` before what it is asked for the last time. */
function look(engine: Engine, options: HookOptions = {}): string[] {
  const seen: string[] = [];
  const note = ({ text, final }: { text: string; final?: boolean | undefined }): void =>
    void seen.push(final === true ? `final:${text}` : text);
  engine.hooks.use(defineHooks("look", { streamToken: note }, options));
  return seen;
}

/** Masks the word; holds what may become it. */
function mask(engine: Engine, word: string, name = "mask"): void {
  engine.hooks.on(
    "streamToken",
    ({ text, final }) => {
      const mayGrow = [...word].some((_, at) => at > 0 && text.endsWith(word.slice(0, at)));
      return mayGrow && final !== true ? { hold: true } : { text: text.replace(word, "###") };
    },
    { name },
  );
}

async function written(engine: Engine, options: GenerateOptions = {}): Promise<string> {
  let streamed = "";
  let returned = "";
  for await (const event of engine.generate("hi", options)) {
    if (event.type === "token" && event.kind === "content") streamed += event.text;
    if (event.type === "end") returned = event.result.text;
  }
  expect(streamed).toBe(returned);
  return returned;
}

test("hooks behind one that holds see the text when it is let go, as one piece", async () => {
  const engine = await openEngine(secret);
  mask(engine, "secret");
  const seen = look(engine);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
  expect(await written(engine)).toBe("KEY ###.");
  expect(seen).toEqual(["key ", "###", "."]);
});

test("hooks before one that holds see each token once, and it holds what they made of it", async () => {
  const engine = await openEngine(secret);
  const seen = look(engine);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.replaceAll("e", "ee") }));
  mask(engine, "seecreet");
  expect(await written(engine)).toBe("keey ###.");
  expect(seen).toEqual(["key ", "sec", "ret", "."]);
});

test("two hooks hold each its own: the second what the first lets go", async () => {
  const engine = await openEngine([{ pieces: ["a", "1", "2", " b", "3", ".", " c"] }]);
  engine.hooks.on("streamToken", ({ text }) => (/\d$/.test(text) ? { hold: true } : undefined));
  const between = look(engine);
  engine.hooks.on("streamToken", ({ text }) => (text.endsWith(".") ? { text: `<${text}>` } : { hold: true }));
  const behind = look(engine);
  expect(await written(engine)).toBe("<a12 b3.> c");
  expect(between).toEqual(["a", "12 b", "3.", " c"]);
  expect(behind).toEqual(["<a12 b3.>", "final: c"]);
});

test("what is held to the end passes the hooks behind, and is joined to what they hold", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " se", "c"] }]);
  const before = look(engine);
  mask(engine, "secret");
  const between = look(engine);
  engine.hooks.on("streamToken", ({ text, final }) => (final === true ? { text: text.toUpperCase() } : { hold: true }));
  const behind = look(engine);
  expect(await written(engine)).toBe("ONE TWO SEC");
  expect(before).toEqual(["one", " two", " se", "c"]);
  expect(between).toEqual(["one", " two", "final: sec"]);
  expect(behind).toEqual(["final:ONE TWO SEC"]);
});

test("a hold of what it is asked for the last time has no effect: the hooks behind are asked", async () => {
  const engine = await openEngine([{ pieces: ["one", " two"] }]);
  engine.hooks.on("streamToken", () => ({ hold: true }));
  engine.hooks.on("streamToken", () => ({ hold: true }));
  const behind = look(engine);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
  expect(await written(engine)).toBe("ONE TWO");
  expect(behind).toEqual(["final:one two"]);
});

test("when the first drops at the end what it holds, the second is asked for its own", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  engine.hooks.on("streamToken", ({ text, final }) =>
    final === true ? { drop: true } : text === "one" ? undefined : { hold: true },
  );
  engine.hooks.on("streamToken", ({ final }) => (final === true ? undefined : { hold: true }));
  const behind = look(engine);
  expect(await written(engine)).toBe("one");
  expect(behind).toEqual(["final:one"]);
});

test("an observer sees what the hooks before it have let go, and its own hold holds nothing", async () => {
  const engine = await openEngine(secret);
  const before = look(engine, { observe: true });
  engine.hooks.on("streamToken", () => ({ hold: true }) as never, { observe: true });
  mask(engine, "secret");
  const behind = look(engine, { observe: true });
  expect(await written(engine)).toBe("key ###.");
  expect([before, behind]).toEqual([
    ["key ", "sec", "ret", "."],
    ["key ", "###", "."],
  ]);
});

test("hooks that answer later hold and change as others do", async () => {
  const engine = await openEngine(secret);
  engine.hooks.on("streamToken", async ({ text }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return text.endsWith("sec") ? { hold: true } : { text: text.replace("secret", "###") };
  });
  const seen = look(engine);
  engine.hooks.on("streamToken", async ({ text }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { text: text.toUpperCase() };
  });
  expect(await written(engine)).toBe("KEY ###.");
  expect(seen).toEqual(["key ", "###", "."]);
});

test("a C hook holds, and a C hook behind it sees what it lets go", async () => {
  const engine = await openEngine(secret);
  const library = await compileLibrary(`${prelude}
HOOK(masks) {
  UNUSED;
  if (strstr(context, "\\"text\\":\\"secret\\"") != NULL) *modified = lh_strdup("{\\"text\\": \\"###\\"}");
  else if (strstr(context, "\\"text\\":\\"sec\\"") != NULL) *modified = lh_strdup("{\\"hold\\": true}");
  return 0;
}
HOOK(marks) {
  UNUSED;
  if (strstr(context, "\\"text\\":\\"sec\\"") != NULL) *modified = lh_strdup("SEC");
  if (strstr(context, "\\"text\\":\\"###\\"") != NULL) *modified = lh_strdup("<###>");
  return 0;
}
`);
  engine.hooks.addNative({ library, symbol: "masks", point: "streamToken", jsonResult: true });
  engine.hooks.addNative({ library, symbol: "marks", point: "streamToken" });
  expect(await written(engine)).toBe("key <###>.");
});

test("what a removed hook held is passed on to those behind it, and is not lost without any", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  const holder = engine.hooks.on("streamToken", ({ text }) => {
    if (text !== "one") holder.dispose();
    return { hold: true };
  });
  const behind = look(engine);
  expect(await written(engine)).toBe("one two three");
  expect(behind).toEqual(["one two three"]);
  engine.hooks.clear();
  engine.hooks.on("streamToken", () => ({ hold: true }), { once: true });
  expect(await written(engine)).toBe("one two three");
});

test("what a hook held goes on where its `when` does not fit what there is now", async () => {
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  engine.hooks.on("streamToken", () => ({ hold: true }), { when: { text: /^one$/ } });
  const behind = look(engine);
  expect(await written(engine)).toBe("one two three");
  expect(behind).toEqual(["one two", " three"]);
});

test("a hook that fails lets go what it held", async () => {
  const engine = await openEngine(secret);
  engine.hooks.on("streamToken", ({ text }) => {
    if (text === "secret") throw new Error("no mask");
    return text === "sec" ? { hold: true } : undefined;
  });
  const behind = look(engine);
  expect(await written(engine)).toBe("key secret.");
  expect(behind).toEqual(["key ", "secret", "."]);
});

test("originalContext sees all that is let go, as the model wrote it", async () => {
  const engine = await openEngine(secret);
  engine.hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
  mask(engine, "SECRET");
  const seen = look(engine, { originalContext: true });
  expect(await written(engine)).toBe("KEY ###.");
  expect(seen).toEqual(["key ", "secret", "."]);
});

test("the arguments of a call are what is left of them, whatever was dropped while others held", async () => {
  const tool: ToolSpec = { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } };
  const call = [
    '<tool_call>\n{"name": "look", "arguments": {"at": "',
    "dark ",
    "blue ",
    "night ",
    'sky"}}\n</tool_call>',
  ];
  const engine = await openEngine([{ pieces: call }]);
  engine.hooks.on("streamToken", () => ({ drop: true }), { when: { text: "blue " } });
  engine.hooks.on("streamToken", ({ text }) => (text.endsWith("night ") ? { hold: true } : undefined));
  engine.hooks.on("streamToken", ({ text, final }) =>
    final === true || text.includes("sky") ? { text: text.replace("dark", "DARK") } : { hold: true },
  );
  const { toolCalls } = await engine.generate("hi", { tools: [tool] });
  expect(toolCalls).toMatchObject([{ name: "look", args: { at: "DARK night sky" } }]);
});
