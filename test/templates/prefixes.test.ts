// A prompt keeps its beginning when the assistant, or a tool, has answered to it, and loses no word on the way.
import { expect, test } from "vitest";
import type { Message } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { chosenTemplates, templateNames, templateSource } from "../support/templates/template-files.js";

const system = (n: number): Message => ({ role: "system", content: `Wsystem${n}.` });
const user = (n: number): Message => ({ role: "user", content: `Wuser${n}.` });
const assistant = (n: number): Message => ({ role: "assistant", content: `Wassistant${n}.` });
const id = (n: number): string => `call0000${n}`;
const call = (n: number): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id: id(n), name: "lookup", args: { key: `Wkey${n}` } }],
});
const result = (n: number): Message => ({
  role: "tool",
  content: `Wresult${n}.`,
  toolCallId: id(n),
  toolName: "lookup",
});

const conversations: Readonly<Record<string, readonly Message[]>> = {
  turns: [user(1), assistant(1), user(2), assistant(2)],
  "a system message": [system(1), user(1), assistant(1), user(2), assistant(2), user(3), assistant(3)],
  "two answers in a row": [system(1), user(1), assistant(1), assistant(2), user(2), assistant(3)],
  "two answers and no system message": [user(1), assistant(1), assistant(2), user(2)],
  "two users in a row": [system(1), user(1), user(2), assistant(1), user(3), assistant(2)],
  calls: [system(1), user(1), call(1), result(1), assistant(1), user(2), call(2), result(2), assistant(2), user(3)],
  "a user behind a result": [system(1), user(1), call(1), result(1), user(2), assistant(1)],
  "a later system message": [system(1), user(1), assistant(1), system(2), user(2), assistant(2), user(3)],
  "two system messages": [system(1), system(2), user(1), assistant(1), user(2), assistant(2)],
  "no user at the start": [system(1), assistant(1), user(2), assistant(2), user(3)],
};

const wordsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => [
    ...(message.content === "" ? [] : [message.content as string]),
    ...("toolCalls" in message ? (message.toolCalls ?? []).map(({ args }) => String(args["key"])) : []),
  ]);

async function faultsOf(chatTemplate: string): Promise<string[]> {
  const engine = await openEngine({ replies: ["Fine."], chatTemplate, contextLength: 8192 }, { contextSize: 8192 });
  const faults: string[] = [];
  for (const [name, messages] of Object.entries(conversations)) {
    const render = async (length: number): Promise<string> => {
      const options = { messages: messages.slice(0, length), addGenerationPrompt: false };
      return (await engine.models.renderPrompt(undefined, options)).replace(/^<\|reply:[\d.]+\|>/u, "");
    };
    const prompts = await Promise.all(messages.map((_, i) => render(i + 1)));
    for (const [i, prompt] of prompts.entries()) {
      const words = wordsOf(messages.slice(0, i + 1));
      const lost = words.filter((word) => !prompt.includes(word));
      if (lost.length > 0) faults.push(`${name}, ${i + 1}: ${lost.join(" ")} lost in ${prompt}`);
      const next = prompts[i + 1];
      const role = messages[i]?.role;
      // The template decides how it ends a prompt behind other messages.
      if (next === undefined || messages[i + 1]?.role !== "assistant" || (role !== "user" && role !== "tool")) continue;
      const end = Math.max(...words.map((word) => prompt.lastIndexOf(word) + word.length));
      if (!next.startsWith(prompt.slice(0, end))) faults.push(`${name}, ${i + 1}:\n${prompt}\n--\n${next}`);
    }
  }
  return faults;
}

/** One template that writes the system message into the user's last turn, and those that part answers in a row. */
const more = new Set(["mistralai-Mistral-Nemo-Instruct-2407", "Reka-Edge", "tencent-Hy3", "unsloth-Apriel-1.5"]);
const names = templateNames.filter((name) => more.has(name) || chosenTemplates.includes(name));

test.each(names)("%s: an answer does not change the prompt before it", async (name) => {
  const faults = await faultsOf(templateSource(name));
  expect(faults, faults.join("\n====\n")).toEqual([]);
});

const alternate =
  "{% if messages[0].role == 'system' %}{% set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}" +
  "{% for m in rest %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}" +
  "{% if m.role == 'user' %}[INST]{% if loop.last and rest|length < messages|length %}{{ messages[0].content + '\\n\\n' }}{% endif %}" +
  "{{ m.content }}[/INST]{% else %}{{ m.content }}</s>{% endif %}{% endfor %}";

/** A relative of Mistral's, whose roles must alternate, and which has no calls. */
test("a template that writes the system message into the user's last turn", async () => {
  const faults = await faultsOf(alternate);
  expect(faults, faults.join("\n====\n")).toEqual([]);
});
