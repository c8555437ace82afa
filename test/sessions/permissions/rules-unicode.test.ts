// Two spellings of a letter are one to the rules, as Unicode's normal form C has it; Node's own is what it is held to.
import { expect, test } from "vitest";
import { tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { runOnce, resultTexts } from "../../support/sessions.js";

const read = tool({ name: "read", parameters: { type: "object", properties: {} }, run: () => "read" });

/** The outcome of a call with `args` under a rule that denies it, or allows only it, if all of `when` holds. */
async function ask(args: Record<string, unknown>, when: Record<string, string>, kind = "deny"): Promise<string> {
  const engine = await openEngine([{ toolCalls: [{ name: "read", args: {} }] }, "Done."]);
  engine.hooks.on("preToolCall", () => ({ args }));
  // The model need not read them.
  engine.hooks.on("preGenerate", ({ messages }) => ({
    messages: messages.map((one) =>
      "toolCalls" in one ? { ...one, toolCalls: one.toolCalls?.map((call) => ({ ...call, args: {} })) } : one,
    ),
  }));
  const rules = kind === "deny" ? [{ allow: "**" }, { deny: "read", when }] : [{ allow: "read", when }];
  const [text] = resultTexts(await runOnce(engine, { tools: [read], permissions: rules }));
  return String(text).replace(/^denied: .*/s, "denied");
}

test.each([
  ["a rule in form C, a text in form D", { path: "caf\u0065\u0301" }, { "args.path": "caf\u00e9" }, "denied"],
  ["a rule in form D, a text in form C", { path: "caf\u00e9" }, { "args.path": "cafe\u0301" }, "denied"],
  ["a letter under ?", { path: "cafe\u0301" }, { "args.path": "caf?" }, "denied"],
  ["within other values", { path: ["cafe\u0301"] }, { "args.path": '["caf\u00e9"]' }, "denied"],
  ["an argument's name", { "cafe\u0301": "x" }, { "args.caf\u00e9": "x" }, "denied"],
  ["case", { path: "CAF\u00c9" }, { "args.path": "caf\u00e9" }, "read"],
  ["a letter that looks alike", { path: "\u0430" }, { "args.path": "a" }, "read"],
  ["compatible letters are others", { path: "\ufb01" }, { "args.path": "fi" }, "read"],
] as const)("%s", async (_, args, when, text) => {
  expect(await ask(args, when)).toBe(text);
});

/** Numbers below `limit`, the same at every run (Park and Miller). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => (state = (state * 48_271) % 2_147_483_647) % limit;
}

// Letters that have several spellings, their parts, marks of every class, Hangul, and letters that have one.
const letters: string[] = [];
for (let code = 0x80; code <= 0x10ffff; code++) {
  if (code >= 0xd800 && code <= 0xdfff) continue;
  const letter = String.fromCodePoint(code);
  const hangul = code >= 0x1100 && code < 0x1200;
  if (letter.normalize("NFD") !== letter || hangul || /\p{M}/u.test(letter)) letters.push(letter);
}

test("as Node spells them: each letter, and texts of random ones", async () => {
  const next = numbers(20);
  const texts = letters.map((letter) => `a${letter}b`);
  for (let i = 0; i < 20_000; i++) {
    texts.push(Array.from({ length: 2 + next(5) }, () => letters[next(letters.length)]).join(""));
  }
  const text = texts.join("\n");
  expect(await ask({ text }, { "args.text": text.normalize("NFC") }, "allow")).toBe("read");
  expect(await ask({ text: text.normalize("NFC") }, { "args.text": text.normalize("NFD") }, "allow")).toBe("read");
  expect(await ask({ text }, { "args.text": `${text.normalize("NFC")}\u0301` }, "allow")).toBe("denied");
});
