// For every chat template of llama.cpp with tools: a whole run of a session on it. Two tool calls, one of which a guard refuses, a result
// that is redacted, and a final answer; with thinking on and off where the template has the switch. What llama.cpp itself gets
// wrong is listed, and fails when it begins to work.
import path from "node:path";
import { expect, test } from "vitest";
import { cancel, type Engine, type Message, tool } from "../../src/index.js";
import { redact } from "../../src/ready-hooks/index.js";
import { writeScriptModel } from "../../src/testing/index.js";
import {
  chosenTemplates,
  isEveryTemplate,
  templateNames,
  templateSource,
} from "../support/templates/template-files.js";
import { openEngine, tempDir } from "../support/engine.js";
import {
  closing,
  messages,
  nativeAnswer,
  nativeReply,
  past,
  weather,
  withoutClosing,
} from "../support/templates/native-replies.js";
import { misreadRuns, withoutCalls } from "../support/templates/known-templates.js";

const secret = "key-4711";
const answer = "It is 4 degrees in Oslo, 42.";
const refusal = "blocked by no-rome: not there";
const redacted = "4 degrees, [redacted]";

/** The options of a run, by the name of the cell. */
const cells: Readonly<Record<string, { readonly reasoning?: boolean }>> = {
  default: {},
  "thinking on": { reasoning: true },
  "thinking off": { reasoning: false },
};

/** A script model cannot begin two replies with the same special token: something that counts for nothing stands before it. */
const apart: Readonly<Record<string, string>> = { "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "\n" };

/** A call and its result, as they come to stand before the next reply. */
function called({ id, ...call }: (typeof messages.two.toolCalls)[number], content: string): Message[] {
  return [
    { role: "assistant", content: "", toolCalls: [{ id, ...call }] },
    { role: "tool", content, toolCallId: id, toolName: call.name },
  ];
}

/** The model's replies at its three turns, in the native format; undefined if a reply has no native form. */
async function replies(engine: Engine, name: string, cell: string): Promise<string[] | undefined> {
  const [oslo, rome] = messages.two.toolCalls;
  const call = await nativeReply(engine, "plain", name, "call");
  const said = await nativeAnswer(engine, "plain", answer);
  if (call === undefined || said === undefined) return undefined;
  const other = call.replaceAll("Oslo 7", "Rome").replaceAll(oslo.id, rome.id);
  const first = [...past, ...called(oslo, redacted)];
  const second = [...first, ...called({ ...rome, args: { city: "Rome", days: 3 } }, refusal)];
  /** Each ends the reasoning that its own prompt begins. */
  const ended = async (reply: string, before: readonly Message[]): Promise<string> =>
    ((await closing(engine, "plain", { ...cells[cell], before })) || (apart[name] ?? "")) + withoutClosing(reply);
  const thought = cell === "thinking on" ? await nativeReply(engine, "plain", name, "reasoning") : undefined;
  return [thought ?? (await ended(call, past)), await ended(other, first), await ended(said, second)];
}

/** The faults of a run, a line each. */
async function faults(engine: Engine, model: string, cell: string, thinks: boolean): Promise<string[]> {
  const run = tool({ ...weather, run: () => `4 degrees, ${secret}` } as never);
  const session = engine.session({
    model,
    tools: [run],
    history: past.slice(0, 2),
    temperature: 0,
    maxTokens: 400,
    maxIterations: 5,
    ...cells[cell],
  });
  const prompts: string[] = [];
  const watch = engine.hooks.on("preGenerate", ({ messages: shown }) => void prompts.push(JSON.stringify(shown)));
  let streamed = "";
  const found: string[] = [];
  try {
    const going = session.run(past[2]?.content ?? "");
    for await (const event of going) if (event.type === "token" && event.kind !== "tool_call") streamed += event.text;
    const { text, finishReason, messages: added } = await going;
    const texts = added.map(({ role, content, reasoning = "", toolCalls = [] }: Message) => ({
      role,
      content: content.trim(),
      reasoning: reasoning.trim(),
      calls: toolCalls.map(({ name, args }) => [name, args]),
    }));
    const plain = { reasoning: "", calls: [] };
    const calls = (city: string) => ({
      role: "assistant",
      content: "",
      reasoning: "",
      calls: [["weather", { city, days: 3 }]],
    });
    const wanted = [
      { role: "user", content: "Weather?", ...plain },
      { ...calls("Oslo 7"), reasoning: thinks ? messages.reasoning.reasoning : "" },
      { role: "tool", content: redacted, ...plain },
      calls("Rome"),
      { role: "tool", content: refusal, ...plain },
      { role: "assistant", content: answer, ...plain },
    ];
    if (JSON.stringify(texts) !== JSON.stringify(wanted)) found.push(`said: ${JSON.stringify(texts.slice(1))}`);
    if (text.trim() !== answer || finishReason !== "complete") found.push(`end: ${finishReason}, ${text}`);
    if (!streamed.includes(answer)) found.push(`streamed: ${streamed}`);
    // The prompt of the model's last call, as the template renders it.
    const request = {
      messages: session.history().slice(0, -1),
      tools: [weather],
      addGenerationPrompt: true,
      ...cells[cell],
    };
    const prompt = await engine.models.renderPrompt(model, request);
    for (const one of [redacted, refusal]) if (!prompt.includes(one)) found.push(`not in the prompt: ${one}`);
    if ([prompt, streamed, ...prompts, JSON.stringify(session.history())].some((one) => one.includes(secret)))
      found.push("the secret");
    if (prompts.length !== 3) found.push(`${prompts.length} model calls`);
  } catch (error) {
    found.push(String(error));
  } finally {
    watch.dispose();
    await session.close();
  }
  return found;
}

const withCalls = chosenTemplates.filter((name) => !(name in withoutCalls));
let passed = 0;
const counts = new Map(["default", "thinking on", "thinking off", "known"].map((cell) => [cell, 0]));
const count = (cell: string): unknown => counts.set(cell, (counts.get(cell) ?? 0) + 1);

test("the list names templates that there are", () => {
  expect(Object.keys(misreadRuns).filter((cell) => !templateNames.includes(cell.slice(0, cell.indexOf(","))))).toEqual(
    [],
  );
});

test.each(withCalls)("%s: a whole run", async (name) => {
  const chatTemplate = templateSource(name);
  const folder = await tempDir();
  const engine = await openEngine([], { models: {} });
  engine.hooks.use(redact(secret));
  engine.hooks.guard("preToolCall", ({ args }) => (args["city"] === "Rome" ? cancel("not there") : undefined), {
    name: "no-rome",
  });
  const load = async (id: string, said: readonly string[]): Promise<void> => {
    const file = path.join(folder, `${id}.gguf`);
    await writeScriptModel(file, { chatTemplate, replies: said, contextLength: 16_384 });
    await engine.models.load(id, { path: file, parallel: 1, contextSize: 16_384, threads: 1 });
  };
  await load("plain", []);
  const found: string[] = [];
  const prompt = (reasoning: boolean): Promise<string> =>
    engine.models.renderPrompt("plain", { messages: past, tools: [weather], reasoning });
  const isSwitched = (await prompt(true)) !== (await prompt(false));
  const has = isSwitched ? ["thinking on", "thinking off"] : ["default"];
  for (const cell of has) {
    const said = await replies(engine, name, cell);
    if (said === undefined) {
      found.push(`${cell}: there is no form for it`);
      continue;
    }
    await load(cell, ["Hello.", ...said]);
    const isKnown = `${name}, ${cell}` in misreadRuns;
    const thinks = said[0]?.includes(messages.reasoning.reasoning) === true;
    const wrong = await faults(engine, cell, cell, thinks);
    if (isKnown) count("known");
    if (isKnown && wrong.length === 0) found.push(`${cell}: it works now, though it is listed as known`);
    if (!isKnown) found.push(...wrong.map((fault) => `${cell}: ${fault}`));
    count(cell);
    await engine.models.unload(cell);
  }
  if (found.length === 0) passed++;
  expect(found, found.join("\n")).toEqual([]);
});

test.runIf(isEveryTemplate)("no template and no switch was left out", () => {
  const { known: wrong, ...runs } = Object.fromEntries(counts);
  console.log(`${templateNames.length} templates, ${withCalls.length} with tools, ${passed} passed`);
  console.log(`runs: ${JSON.stringify(runs)}; wrong by llama.cpp alone, as known: ${wrong}`);
  expect(Object.fromEntries(counts)).toEqual({ default: 40, "thinking on": 23, "thinking off": 23, known: 2 });
});
