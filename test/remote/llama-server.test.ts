// The bundled model behind llama.cpp's own server, if scripts/build/llama-server.mjs has built it.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Engine, remote, tool } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";
import { lacksServer, startLlamaServer } from "../support/remote/llama-server.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const model = path.join(root, "models", "tiny-agent.gguf");
describe.skipIf(lacksServer !== "")(`llama-server${lacksServer}`, () => {
  let url = "";
  let stop = (): void => undefined;

  beforeAll(async () => {
    const options = ["--jinja", "--ctx-size", "4096", "--threads", "1", "--api-key", "sk-local"];
    const server = await startLlamaServer(model, ...options);
    url = `${server.url}/v1`;
    stop = server.stop;
  });
  afterAll(() => stop());

  const open = (options: object = {}): Promise<Engine> =>
    openEngine([], {
      models: { big: { provider: remote(url, { model: "tiny", apiKey: "sk-local", ...options }), contextSize: 4096 } },
    });

  test("a run with tools and hooks, as with the file", async () => {
    const engine = await open();
    const local = await openEngine([], { model });
    const weather = tool({
      name: "weather",
      description: "Tells the current weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      run: () => ({ city: "Oslo", temp_c: 4, condition: "rain" }),
    });
    const seen: string[] = [];
    engine.hooks.on("preToolCall", ({ toolName, args }) => void seen.push(`${toolName} ${JSON.stringify(args)}`));
    const ask = (on: Engine): PromiseLike<{ text: string; usage: { promptTokens: number } }> =>
      on.session({ tools: [weather], temperature: 0 }).run("What is the weather in Oslo?");
    const [far, near] = [await ask(engine), await ask(local)];
    expect(far.text).toBe(near.text);
    expect(seen).toEqual(['weather {"city":"Oslo"}']);
    expect(Math.abs(far.usage.promptTokens - near.usage.promptTokens)).toBeLessThan(20);
  });

  test("the second turn finds the first in the server's cache", async () => {
    const session = (await open()).session({ temperature: 0, maxTokens: 8 });
    await session.run(`Read this: ${"one two three four ".repeat(40)}`);
    const second = await session.run("Go on.");
    expect(second.usage.cachedTokens / second.usage.promptTokens).toBeGreaterThan(0.8);
  });

  test("a wrong key and a prompt that is too long have codes, and the server's words", async () => {
    const wrong = await open({ apiKey: "sk-other" });
    expect(await rejection(wrong.generate("Hi"))).toMatchObject({
      code: "REMOTE_REFUSED",
      message: expect.stringContaining("401") as string,
    });
    const engine = await open();
    const long = "one two three four five ".repeat(4000);
    expect(await rejection(engine.generate(long))).toMatchObject({ code: "PROMPT_TOO_LONG" });
    expect((await engine.generate("Hi", { maxTokens: 4, temperature: 0 })).usage.completionTokens).toBe(4);
  });

  test("an abort frees the server's place", async () => {
    const engine = await open();
    const call = engine.generate("Tell me a long story.", { maxTokens: 2000 });
    for await (const event of call) if (event.type === "token") call.cancel("enough");
    expect((await call).finishReason).toBe("cancelled");
    expect((await engine.generate("Hi", { maxTokens: 2 })).usage.completionTokens).toBe(2);
  });
});
