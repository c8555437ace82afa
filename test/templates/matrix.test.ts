// For every chat template of llama.cpp: what a model with it writes comes through hooks that change nothing, or the digits of
// text only, with the text, the reasoning and the calls that it has without hooks.
import { expect, test } from "vitest";
import type { Engine } from "../../src/index.js";
import type { ScriptReply } from "../../src/testing/index.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates, isEveryTemplate, templateNames } from "../support/templates/template-files.js";
import { misreadReplies, withoutCalls } from "../support/templates/known-templates.js";
import {
  messages,
  nativeReply,
  past,
  type Variant,
  variantNames,
  weather,
} from "../support/templates/native-replies.js";

interface Piece {
  readonly text: string;
  readonly kind: "content" | "reasoning" | "tool_call";
  readonly final?: boolean | undefined;
}

const masked = (text: string): string => text.replace(/\d/g, "#");

const hooks = {
  identity: ({ text }: Piece) => ({ text }),
  masking: ({ text, kind }: Piece) => (kind === "tool_call" ? undefined : { text: masked(text) }),
  holding: ({ text, final }: Piece) => (final === true ? { text } : { text, hold: true }),
} as const;

interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly unknown[];
  readonly finishReason: string;
}

/** Also what the model said: of calls all that it wrote, with their marks. */
async function answer(engine: Engine, model: string, hook?: keyof typeof hooks): Promise<[Answer, said: string]> {
  const added = hook === undefined ? undefined : engine.hooks.on("streamToken", hooks[hook]);
  try {
    const generation = engine.generate(past, { model, tools: [weather], maxTokens: 400, temperature: 0 });
    let said = "";
    for await (const event of generation) if (event.type === "token") said += event.text;
    const { text, reasoning, toolCalls, finishReason } = await generation;
    return [{ text, reasoning, calls: toolCalls.map(({ name, args }) => ({ name, args })), finishReason }, said];
  } finally {
    added?.dispose();
  }
}

/** The answer wanted. A parser may count white space between parts to either part. */
function wanted(variant: Variant): Answer {
  const { content, reasoning, toolCalls } = messages[variant];
  return { text: content, reasoning, calls: toolCalls.map(({ name, args }) => ({ name, args })), finishReason: "stop" };
}

function isWanted(answered: Answer, variant: Variant): boolean {
  const { text, reasoning } = answered;
  return same({ ...answered, text: text.trim(), reasoning: reasoning.trim() }, wanted(variant));
}

function same(one: Answer, other: Answer): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The same reply in tokens that know nothing of its parts: one holds the end of the text and the beginning of the call. */
function acrossParts(reply: string): ScriptReply {
  return { pieces: reply.match(/[^]{1,7}/g) ?? [] };
}

let passed = 0;
const counts = { call: 0, text: 0, reasoning: 0, two: 0, known: 0 };

test("the lists name templates that there are", () => {
  const named = [
    ...Object.keys(withoutCalls),
    ...Object.keys(misreadReplies).map((cell) => cell.slice(0, cell.indexOf(","))),
  ];
  expect(named.filter((name) => !templateNames.includes(name))).toEqual([]);
});

/** The faults of a reply and of the hooks' result, a line each. */
async function faults(
  engine: Engine,
  model: string,
  reply: string,
  variant: Variant,
  isKnown: boolean,
): Promise<string[]> {
  let plain: Answer;
  let said: string;
  try {
    [plain, said] = await answer(engine, model);
  } catch (error) {
    return isKnown ? [] : [`no hook: ${String(error)}`];
  }
  const found: string[] = [];
  // A grammar may have made the model say something else: what, is chance.
  const [again] = await answer(engine, model);
  if (!same(again, plain)) found.push(`once more: ${JSON.stringify(again)}`);
  const asWritten = said.endsWith(reply.slice(reply.indexOf("weather")));
  const isRight = asWritten && isWanted(plain, variant);
  if (isRight === isKnown) found.push(`no hook: ${isKnown ? "right" : `${JSON.stringify(plain)}, said ${said}`}`);
  // There is no telling what hooks should leave of what was not read.
  if (!asWritten || plain.calls.length !== wanted(variant).calls.length) return found;
  for (const hook of ["identity", "masking", "holding"] as const) {
    const expected =
      hook === "masking" ? { ...plain, text: masked(plain.text), reasoning: masked(plain.reasoning) } : plain;
    const [answered] = await answer(engine, model, hook);
    if (!same(answered, expected)) found.push(`${hook} hook: ${JSON.stringify(answered)}`);
  }
  return found;
}

const withCalls = chosenTemplates.filter((name) => !(name in withoutCalls));

test.each(withCalls)("%s: hooks leave of a reply what they do not change", async (name) => {
  const { engine, load } = await engineWith(name);
  const found: string[] = [];
  for (const variant of variantNames) {
    const reply = await nativeReply(engine, "plain", name, variant);
    if (reply === undefined) continue;
    const scripts = { [variant]: reply, ...(variant === "text" ? { "text across parts": acrossParts(reply) } : {}) };
    for (const [cell, script] of Object.entries(scripts)) {
      const isKnown = `${name}, ${cell}` in misreadReplies;
      if (isKnown) counts.known++;
      await load(cell, ["Hello.", script]);
      found.push(...(await faults(engine, cell, reply, variant, isKnown)).map((fault) => `${cell}, ${fault}`));
      await engine.models.unload(cell);
    }
    counts[variant]++;
  }
  if (found.length === 0) passed++;
  expect(found, found.join("\n")).toEqual([]);
});

test.each(chosenTemplates.filter((name) => name in withoutCalls))("%s: there are no calls to read", async (name) => {
  const { engine } = await engineWith(name);
  expect(await nativeReply(engine, "plain", name, "call")).toBeUndefined();
});

test.runIf(isEveryTemplate)("no form of a reply was left out", () => {
  const { known: wrong, ...replies } = counts;
  console.log(`${templateNames.length} templates, ${withCalls.length} with calls, ${passed} passed`);
  console.log(`replies: ${JSON.stringify(replies)}; wrong by llama.cpp alone, as known: ${wrong}`);
  expect(counts).toEqual({ call: 63, text: 62, reasoning: 36, two: 57, known: 14 });
});
