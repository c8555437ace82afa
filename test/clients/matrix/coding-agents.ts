// The coding agents of the matrix: programs that bring system prompts and tools. Each also has an MCP server with the
// tool `weather`, to which it gives a name.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Ended, startAgent } from "../../support/integrations/clients.js";
import { runCodex } from "../../support/integrations/codex.js";
import { writeWeatherServer } from "../../support/integrations/weather-server.js";
import type { Outcome } from "./situations.js";

/** A task for a program. */
export interface Asked {
  /** Its folder, in which it keeps conversations. */
  readonly home: string;
  readonly url: string;
  readonly origin: string;
  readonly model: string;
  readonly prompt: string;
  /** It continues the conversation of its last run in this folder. */
  readonly continues?: boolean;
  /** The maximum of tokens of an answer. */
  readonly maxTokens?: number;
  /** Tokens of a conversation that is summed up before the prompt. */
  readonly compactsAt?: number;
  /** The model that sums up, if the program can ask another one for it. */
  readonly summing?: string;
  /** The model sees a tool only after it has looked for it. */
  readonly searchesTools?: boolean;
}

/** The models of a conversation that the program sums up. */
export interface Compacting {
  readonly first: string;
  readonly summing: string;
  readonly next: string;
}

export interface CodingAgent {
  readonly name: string;
  /** The name that it gives to the tool. */
  readonly tool: string;
  /** The `reasoning` of its requests; undefined: the template's default. */
  readonly reasoning?: boolean;
  run(asked: Asked): Promise<Ran>;
  /** Asks, has the program sum up the conversation in its own way, and asks `goOn`. The outcome of the last run. */
  compact(asked: Omit<Asked, "model">, models: Compacting, goOn: string): Promise<Ran>;
}

type Ran = Outcome & { readonly ended: Ended };

/** Lines of JSON among others. */
function events<T>({ stdout }: Ended): T[] {
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as T);
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly name?: string;
  readonly input?: unknown;
}

async function claudeCode(asked: Asked): Promise<Ended> {
  const { home, origin, model, prompt, continues, maxTokens, searchesTools = false } = asked;
  const mcp = { mcpServers: { w: { command: process.execPath, args: [await writeWeatherServer(home)] } } };
  const config = path.join(home, "mcp.json");
  await writeFile(config, JSON.stringify(mcp));
  const env = {
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    ENABLE_TOOL_SEARCH: String(searchesTools),
    ...(maxTokens !== undefined && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens) }),
  };
  const args = [
    "--output-format",
    "stream-json",
    "--verbose",
    "--mcp-config",
    config,
    "--allowedTools",
    "mcp__w__weather",
  ];
  return startAgent("claude", ["-p", prompt, ...(continues === true ? ["--continue"] : []), ...args], { home, env })
    .ended;
}

function codex({ home, url, model, prompt, continues, compactsAt }: Asked): Promise<Ended> {
  const settings = compactsAt === undefined ? "" : `model_auto_compact_token_limit = ${compactsAt}`;
  const again = continues === true ? ["resume", "--last"] : [];
  return runCodex({ home, url, model, settings }, "--json", ...again, prompt);
}

async function opencode(asked: Asked): Promise<Ended> {
  const { home, url, model, prompt, continues, maxTokens = 1024, compactsAt, summing = model } = asked;
  // It wants room for an answer.
  const limit = { context: compactsAt === undefined ? 65_536 : compactsAt + maxTokens, output: maxTokens };
  const config = {
    provider: {
      local: {
        npm: "@ai-sdk/openai-compatible",
        name: "local",
        options: { baseURL: url, apiKey: "none" },
        models: Object.fromEntries([model, summing].map((name) => [name, { name, limit }])),
      },
    },
    model: `local/${model}`,
    small_model: `local/${model}`,
    mcp: { w: { type: "local", command: [process.execPath, await writeWeatherServer(home)] } },
    agent: { title: { disable: true }, compaction: { model: `local/${summing}` } },
    autoupdate: false,
    share: "disabled",
  };
  await writeFile(path.join(home, "opencode.json"), JSON.stringify(config));
  const args = ["run", "--format", "json", ...(continues === true ? ["--continue"] : []), prompt];
  return startAgent("opencode", args, { home }).ended;
}

const joined = (texts: readonly (string | undefined)[]): string => texts.filter((text) => text !== undefined).join("");

export const codingAgents: readonly CodingAgent[] = [
  {
    name: "Claude Code",
    tool: "mcp__w__weather",
    reasoning: true,
    async run(asked) {
      const ended = await claudeCode(asked);
      const blocks = events<{ type: string; message?: { content: Block[] } }>(ended)
        .filter(({ type }) => type === "assistant")
        .flatMap(({ message }) => message?.content ?? []);
      const of = (type: string): Block[] => blocks.filter((block) => block.type === type);
      return {
        ended,
        text: of("text").at(-1)?.text ?? "",
        reasoning: joined(of("thinking").map(({ thinking }) => thinking)),
        calls: of("tool_use").map(({ name = "", input }) => ({ name, args: input })),
      };
    },
    async compact(asked, { first, summing, next }, goOn) {
      await this.run({ ...asked, model: first });
      await this.run({ ...asked, model: summing, prompt: "/compact", continues: true });
      return this.run({ ...asked, model: next, prompt: goOn, continues: true });
    },
  },
  {
    name: "Codex",
    tool: "mcp__w__weather",
    async run(asked) {
      const ended = await codex(asked);
      const items = events<{
        type: string;
        item?: { type: string; text?: string; tool?: string; arguments?: unknown };
      }>(ended)
        .filter(({ type }) => type === "item.completed")
        .flatMap(({ item }) => (item === undefined ? [] : [item]));
      const of = (type: string): typeof items => items.filter((item) => item.type === type);
      return {
        ended,
        text: of("agent_message").at(-1)?.text ?? "",
        reasoning: joined(of("reasoning").map(({ text }) => text)),
        calls: of("mcp_tool_call").map((call) => ({ name: `mcp__w__${call.tool}`, args: call.arguments })),
      };
    },
    async compact(asked, { first, summing }, goOn) {
      await this.run({ ...asked, model: first });
      // One model sums up and continues.
      return this.run({ ...asked, model: summing, prompt: goOn, continues: true, compactsAt: 5 });
    },
  },
  {
    name: "opencode",
    tool: "w_weather",
    async run(asked) {
      const ended = await opencode(asked);
      const parts = events<{ type: string; part?: { text?: string; tool?: string; state?: { input: unknown } } }>(
        ended,
      );
      const of = (type: string) => parts.filter((event) => event.type === type).map(({ part }) => part);
      return {
        ended,
        text: of("text").at(-1)?.text ?? "",
        calls: of("tool_use").map((part) => ({ name: part?.tool ?? "", args: part?.state?.input })),
      };
    },
    async compact(asked, { first, summing }, goOn) {
      const { ended } = await this.run({ ...asked, model: first });
      const used = events<{ type: string; part?: { tokens?: { total: number } } }>(ended).at(-1)?.part?.tokens?.total;
      // A conversation keeps its model, whatever the settings name.
      return this.run({ ...asked, model: first, summing, prompt: goOn, continues: true, compactsAt: used ?? 0 });
    },
  },
];

/** A new folder for an agent. */
export async function homeIn(folder: string, name: string): Promise<string> {
  const home = path.join(folder, name);
  await mkdir(home, { recursive: true });
  return home;
}
