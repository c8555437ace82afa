// The greedy answers of real models are those of llama-server, token for token, however they come about.
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Engine, type EngineOptions, type MessageInput, remote, type Session } from "../../src/index.js";
import { amount } from "../support/amount.js";
import { openEngine, tempDir } from "../support/engine.js";
import { serveEngine } from "../support/http/server.js";
import { startLlamaServer, type LlamaServer } from "../support/remote/llama-server.js";
import { smollm } from "../support/real/models.js";
import { preamble, prompts } from "../support/real/prompts.js";

const maxTokens = 16;
const greedy = { temperature: 0, maxTokens, logprobs: true } as const;

// For Gemma see greedy-gemma.test.ts: its repacked weights round by how many tokens are read at once.
describe("SmolLM2-135M-Instruct", () => {
  const model = smollm;
  const all = prompts(100);
  const some = all.slice(0, amount(20, 100));
  let server: LlamaServer;

  beforeAll(async () => {
    server = await startLlamaServer(model, "--ctx-size", "2048", "--threads", "1", "--parallel", "1", "--jinja");
  });
  afterAll(() => server.stop());

  const open = (options: EngineOptions = {}): Promise<Engine> =>
    openEngine([], { model, contextSize: 2048, ...options });
  /** What llama-server writes behind a prompt, without the mark of the end. */
  async function expected(prompt: string, cached = false): Promise<number[]> {
    const options = { n_predict: maxTokens, temperature: 0, return_tokens: true, cache_prompt: cached };
    const { tokens, stop_type: why } = (await server.ask("/completion", { ...options, prompt })) as {
      tokens: number[];
      stop_type: string;
    };
    return why === "eos" ? tokens.slice(0, -1) : tokens;
  }

  async function expectedText(messages: readonly MessageInput[], cached = false): Promise<string> {
    const options = { max_tokens: maxTokens, temperature: 0, cache_prompt: cached };
    const { choices } = (await server.ask("/v1/chat/completions", { ...options, messages })) as {
      choices: [{ message: { content: string } }];
    };
    return choices[0].message.content;
  }

  async function written(engine: Engine, prompt: string): Promise<number[]> {
    const { logprobs = [] } = await engine.generate(prompt, { ...greedy, raw: true });
    return logprobs.map(({ token }) => token);
  }

  let alone: number[][] = [];
  test("alone", async () => {
    const engine = await open();
    alone = [];
    for (const prompt of all) alone.push(await expected(prompt));
    for (const [at, prompt] of all.entries())
      expect([prompt, await written(engine, prompt)]).toEqual([prompt, alone[at]]);
  });

  test("four at once", async () => {
    const engine = await open({ parallel: 4 });
    const answers = [];
    for (let at = 0; at < all.length; at += 4) {
      answers.push(...(await Promise.all(all.slice(at, at + 4).map((prompt) => written(engine, prompt)))));
    }
    expect(answers).toEqual(alone);
  });

  test("with a prefix in the cache", async () => {
    const engine = await open();
    await written(engine, preamble);
    await expected(preamble, true);
    for (const prompt of some) {
      const long = `${preamble}\n\n${prompt}`;
      const { logprobs = [], usage } = await engine.generate(long, { ...greedy, raw: true });
      expect(usage.cachedTokens).toBeGreaterThan(100);
      expect([prompt, logprobs.map(({ token }) => token)]).toEqual([prompt, await expected(long, true)]);
    }
  });

  test("in a separate process", async () => {
    const engine = await open({ isolation: "process" });
    for (const [at, prompt] of some.entries()) {
      expect([prompt, await written(engine, prompt)]).toEqual([prompt, alone[at]]);
    }
  });

  test("as a remote model, and as the same model behind llama-server", async () => {
    const served = await serveEngine(await open());
    const near = await open();
    const far = await openEngine([], {
      models: {
        ours: { provider: remote(served.server.url, { model: "default" }), contextSize: 2048 },
        theirs: { provider: remote(`${server.url}/v1`, { model: "any" }), contextSize: 2048 },
      },
    });
    const options = { temperature: 0, maxTokens };
    for (const prompt of some) {
      const { text } = await near.generate(prompt, options);
      expect(text).toBe(await expectedText([{ role: "user", content: prompt }]));
      expect((await far.generate(prompt, { ...options, model: "ours" })).text).toBe(text);
      expect((await far.generate(prompt, { ...options, model: "theirs" })).text).toBe(text);
    }
  });

  test("after an edit of the history, and after a session was saved and restored", async () => {
    const engine = await open();
    const file = path.join(await tempDir(), "session.json");
    const options = { temperature: 0, maxTokens };
    for (const prompt of some.slice(0, amount(8, 100))) {
      const session = engine.session(options);
      const said: MessageInput[] = [];
      const run = async (on: Session, content: string): Promise<string | undefined> => {
        const { text, messages } = await on.run(content);
        said.push({ role: "user", content });
        expect(text).toBe(await expectedText(said, true));
        if (text !== "") said.push({ role: "assistant", content: text });
        return messages.at(-1)?.id;
      };
      const first = await run(session, prompt);
      await run(session, "Say it in other words.");
      session.rewind(first ?? null);
      said.splice(first === undefined ? 0 : 2);
      await run(session, "Say more about it.");
      await session.save(file);
      await session.close();
      const restored = engine.restoreSession(file, options);
      await run(restored, "Thank you. Is that all?");
      await restored.close();
    }
  });
});
