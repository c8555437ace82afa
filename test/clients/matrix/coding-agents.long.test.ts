// Coding agents x chat templates: each program against this server.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../src/index.js";
import { clients, whySkipped } from "../../support/integrations/clients.js";
import { type Asked, codingAgents, homeIn } from "./coding-agents.js";
import { families, type Family } from "./families.js";
import { Served } from "./served.js";
import { maxTokens, type Situation, texts } from "./situations.js";

/** Script models have a token for almost each character: longer texts are shortened, and schemas lose descriptions. */
const maxCharacters = 300;
const short = (text: string): string =>
  text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters / 2)}\n...\n${text.slice(-maxCharacters / 2)}`;
const bare = <Schema extends object>(schema: Schema): Schema => {
  const without = (key: string, value: unknown): unknown =>
    key === "description" && typeof value === "string" ? undefined : value; // not a property of that name
  return JSON.parse(JSON.stringify(schema, without)) as Schema;
};

/** Families for what takes two runs of a program. */
const sample: readonly Family[] = ["Qwen3.5-4B", "openai-gpt-oss-120b", "Mistral-Small-3.2-24B-Instruct-2506"];

let served: Served;
/** The names of the tools of each generation of a test. */
let offered: (readonly string[])[] = [];
beforeEach(() => void (offered = []));
let folder: string;
let homes = 0;
beforeAll(async () => {
  served = await Served.open(32_768);
  served.engine.hooks.on("preGenerate", ({ tools }) => void offered.push(tools.map(({ name }) => name)), {
    observe: true,
  });
  served.engine.hooks.on("preGenerate", ({ messages, tools }) => ({
    messages: messages.map((message) => ({ ...message, content: short(message.content) })),
    tools: tools.map(({ name, parameters }) => ({ name, ...(parameters && { parameters: bare(parameters) }) })),
  }));
  folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-agents-"));
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true, force: true });
});

/** The last conversation that a model has got, without what the programs put before the prompt. */
const lastAsked = (): readonly Message[] => (served.takeAsked().at(-1) ?? []).filter(({ role }) => role !== "system");

describe.skipIf(clients === undefined).each(codingAgents)(`$name${whySkipped}`, (agent) => {
  describe.each(families)("%s", { timeout: 180_000 }, (family) => {
    const asked = async (situation: Situation, more: Partial<Asked> = {}): Promise<Asked> => {
      const { url, origin } = served.server;
      const model = await served.model(family, situation, agent.reasoning, agent.tool);
      const home = more.home ?? (await homeIn(folder, String(homes++)));
      served.takeAsked();
      return { home, url, origin, model, prompt: texts.prompt, ...more };
    };

    test("first prompt, reasoning, a tool, several", async () => {
      const { ended, ...outcome } = await agent.run(await asked("working"));
      const call = (city: string, days: number): object => ({ name: agent.tool, args: { city, days } });
      const calls = [call("Oslo 7", 3), call("Oslo 7", 3), call("Rome", 12)];
      expect({ ...outcome, code: ended.code }).toMatchObject({ text: texts.answer, calls, code: 0 });
      const results = lastAsked().filter(({ role }) => role === "tool");
      expect(results.map(({ content }) => content.slice(content.indexOf("3 degrees")))).toEqual(
        ["Oslo 7", "Oslo 7", "Rome"].map((city) => `3 degrees in ${city}`),
      );
    });

    const isCut = agent.name === "Claude Code" || (agent.name === "opencode" && sample.includes(family));
    test.runIf(isCut)("a cut-off answer sent back", async () => {
      const first = await asked("cut", { maxTokens });
      let { text } = await agent.run(first);
      // Claude Code asks for the rest by itself.
      if (agent.name !== "Claude Code") ({ text } = await agent.run({ ...first, continues: true, prompt: texts.goOn }));
      expect(text).toBe(texts.answer);
      const sent = lastAsked().filter(({ role }) => role === "assistant");
      expect(sent.map(({ content }) => [content !== "", texts.long.startsWith(content)])).toEqual([[true, true]]);
    });

    test.runIf(agent.name === "Claude Code")("a tool that it looks for", async () => {
      const { ended, ...outcome } = await agent.run(await asked("search", { searchesTools: true }));
      const search = { name: "ToolSearch", args: { query: `select:${agent.tool}`, max_results: 3 } };
      const calls = [search, { name: agent.tool, args: { city: "Oslo 7", days: 3 } }];
      expect({ ...outcome, code: ended.code }).toMatchObject({ text: texts.answer, calls, code: 0 });
      expect(offered.map((names) => names.includes(agent.tool))).toEqual([false, true, true]);
      expect(offered.flat()).not.toContain("DeferredToolPlaceholder");
    });

    test("a compaction", async () => {
      const { model: first, ...task } = await asked("lengthy");
      const { model: summing } = await asked("summary");
      const { model: next } = await asked("continued");
      const { ended, text } = await agent.compact(task, { first, summing, next }, texts.goOn);
      expect([ended.code, text]).toEqual([0, agent.name === "Codex" ? texts.summary : texts.answer]);
      const [, ...later] = served.takeAsked().map((messages) => messages.map(({ content }) => content).join("\n"));
      expect(later.map((words) => [words.includes(texts.longLine), words.includes(texts.summary)])).toEqual([
        ...later.slice(1).map(() => [true, false]), // Claude Code may ask for the summary again
        [false, true],
      ]);
    });
  });
});
