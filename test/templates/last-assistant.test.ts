// For every chat template of llama.cpp: where the assistant has spoken last, its next turn begins as it does behind a
// message of the user, and its answer is text and reasoning, without marks.
import { expect, test } from "vitest";
import { type Engine, type Message, LlamaHooksError, type ToolSpec } from "../../src/index.js";
import { closing, nativeAnswer, weather } from "../support/templates/native-replies.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates } from "../support/templates/template-files.js";

const asked: readonly Message[] = [{ role: "user", content: "Hi." }];
const hello: Message = { role: "assistant", content: "Hello." };
const answer = "It is cold, 42.";

/** Conversations whose last message is the assistant's. */
const conversations: Readonly<Record<string, readonly Message[]>> = {
  "an answer": [...asked, hello],
  "an answer behind a system message": [{ role: "system", content: "Be brief." }, ...asked, hello],
  "two answers": [...asked, hello, { role: "assistant", content: "Still here." }],
  "an answer with reasoning": [...asked, { role: "assistant", content: "Hello.", reasoning: "They greet." }],
  "an answer to a result": [
    ...asked,
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "a1b2c3d4e", name: "weather", args: { city: "Oslo", days: 3 } }],
    },
    { role: "tool", content: "cold", toolCallId: "a1b2c3d4e", toolName: "weather" },
    { role: "assistant", content: "It is cold." },
  ],
};

/** Templates whose answers llama.cpp reads in another form than the template writes them. */
const unread = { "upstage-Solar-Open-100B": "" };

/** The marks that begin a turn of the assistant behind a message of the user. */
async function turnOf(engine: Engine, tools: readonly ToolSpec[]): Promise<string> {
  const render = (addGenerationPrompt: boolean): Promise<string> =>
    engine.models.renderPrompt("plain", { messages: asked, tools, addGenerationPrompt });
  const [begun, ended] = await Promise.all([render(true), render(false)]);
  let at = 0;
  while (at < ended.length && begun[at] === ended[at]) at += 1;
  return begun.slice(at);
}

const call: Message = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "a1b2c3d4e", name: "weather", args: { city: "Oslo", days: 3 } }],
};

test.each(chosenTemplates)("%s: without a new turn, nothing is lost", async (name) => {
  const { engine } = await engineWith(name);
  const render = (messages: readonly Message[]): Promise<string> =>
    engine.models.renderPrompt("plain", { messages, addGenerationPrompt: false });
  for (const messages of [...Object.values(conversations), [...asked, hello, call], [...asked, hello, hello, call]]) {
    const prompt = await render(messages);
    const { content = "", toolCalls = [] } = messages.at(-1) ?? {};
    for (const word of [content as string, ...toolCalls.map(() => "Oslo")]) expect(prompt).toContain(word);
  }
});

test.each(chosenTemplates)("%s: a turn begins behind the assistant's", async (name) => {
  const { engine, load } = await engineWith(name);
  const callable = await engine.models.renderPrompt("plain", { messages: asked, tools: [weather] }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof LlamaHooksError && error.code === "TOOLS_UNSUPPORTED") return false;
      throw error;
    },
  );
  const native = callable ? await nativeAnswer(engine, "plain", answer) : undefined;
  const reply = native ?? `${await closing(engine, "plain", { before: asked })}${answer}`;
  await load("spoken", [reply, reply, reply, reply]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code }) => void errors.push(code));
  const say = async (messages: readonly Message[], tools: readonly ToolSpec[]) => {
    const { text, reasoning } = await engine.generate(messages, { model: "spoken", tools, maxTokens: 80 });
    return { text: text.trim(), reasoning: reasoning.trim(), errors: errors.splice(0) };
  };
  for (const tools of callable ? [[], [weather]] : [[]]) {
    const turn = await turnOf(engine, tools);
    const usual = await say(asked, tools);
    if (native !== undefined && !(name in unread)) expect(usual).toMatchObject({ text: answer, errors: [] });
    for (const [what, messages] of Object.entries(conversations)) {
      const prompt = await engine.models.renderPrompt("plain", { messages, tools });
      expect({ what, end: prompt.slice(prompt.length - turn.length) }).toEqual({ what, end: turn });
      expect({ what, ...(await say(messages, tools)) }).toEqual({ what, ...usual });
    }
  }
});
