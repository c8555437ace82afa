// Chat templates that would overflow the stack, fill the memory, fault the processor or never end are refused, wherever
// an engine comes across them; a rendering that takes long ends when its work does.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { LlamaHooksError, Message } from "../../src/index.js";
import { jsonLines, quiet, script, start } from "../fixtures/child.js";
import { amount } from "../support/amount.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";

const program = fileURLToPath(new URL("../fixtures/hostile-templates.mjs", import.meta.url));

/** The bound of the whole process: the limit of a rendering is 32 MiB, and Node takes some 90. */
const mostMebibytes = 600;

interface Line {
  readonly name: string;
  readonly peak: number;
  readonly [how: string]: unknown;
}

test(
  "hostile templates are refused by load, lazy load, estimate and generate, in one process that continues",
  { timeout: 180_000 },
  async () => {
    const { code, signal, stdout, stderr } = await start(
      process.execPath,
      [program, await tempDir(), String(amount(3, 1))],
      {},
      { limitMs: 170_000 },
    ).ended;
    expect({ code, signal, stderr }).toEqual(quiet(0));
    const lines = jsonLines(stdout) as unknown as Line[];
    expect(lines.length).toBeGreaterThan(amount(25, 70));
    expect(lines.at(-1)).toMatchObject({ name: "afterwards", generate: "Fine." });
    const invalid = {
      code: "MODEL_FILE_INVALID",
      message: expect.stringMatching(/^.*the chat template .*tokenizer\.chat_template/s) as string,
    };
    const given = {
      code: "TEMPLATE_FAILED",
      message: expect.stringMatching(/^.*the chat template .*option chatTemplate/s) as string,
    };
    const failed = {
      code: "TEMPLATE_FAILED",
      message: expect.stringContaining("the chat template") as string,
    };
    for (const { name, peak, ...results } of lines.slice(0, -1)) {
      expect(peak, name).toBeLessThan(mostMebibytes);
      if ("lazy" in results) {
        expect(results, name).toEqual({ load: invalid, lazy: invalid, estimate: invalid, given });
      } else if ("estimate" in results) {
        expect(results, name).toEqual({ estimate: given });
      } else if ("after" in results) {
        expect(results, name).toEqual({ generate: failed, after: "ok" });
      } else {
        expect(results, name).toEqual({ load: "ok", generate: failed });
      }
    }
  },
);

/** Renders for minutes, but only a conversation whose length allows as many steps. */
const heavy = `{% if messages|length > 9 %}{% for i in range(1000) %}{% for j in range(1000) %}{% for k in range(1000) %}{% if i + j + k %}{% endif %}{% endfor %}{% endfor %}{% endfor %}{% endif %}{{ messages[0].content }}`;
const long: Message[] = Array.from({ length: 3000 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: "Hi",
}));

/** An engine whose model renders `long` for minutes, and a generation that has begun to. */
async function rendering() {
  const engine = await openEngine({ replies: ["Fine."], chatTemplate: heavy, afterLast: "repeat" });
  const begun = new Promise<void>((resolve) => {
    engine.hooks.on("preGenerate", () => void setTimeout(resolve, 100), { once: true });
  });
  const stop = new AbortController();
  const generation = engine.generate(long, { maxTokens: 1, signal: stop.signal });
  await begun;
  return { engine, generation, stop };
}

test("an abort ends a generation whose prompt is being rendered", async () => {
  const { engine, generation, stop } = await rendering();
  stop.abort();
  expect(await generation).toMatchObject({ finishReason: "cancelled", text: "" });
  expect((await engine.generate("Hi")).text).toBe("Fine.");
});

test("close() ends a generation whose prompt is being rendered", async () => {
  const { engine, generation } = await rendering();
  await engine.close();
  expect((await generation).finishReason).toBe("cancelled");
});

test("process.exit() ends a process that renders a prompt", async () => {
  const model = await scriptModel({ replies: ["Fine."], chatTemplate: heavy });
  const code = `
const engine = await createEngine({ model, ...onCpu });
engine.hooks.on("preGenerate", () => void setTimeout(() => process.exit(0), 100));
const messages = Array.from({ length: 3000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "Hi" }));
await engine.generate(messages, { maxTokens: 1 });
`;
  expect(await script(code, model)).toMatchObject(quiet(0));
});

// The steps of a load end by themselves, which on a busy machine may come first.
test("an abort ends a load that looks at a template", async () => {
  const engine = await openEngine([], { models: {} });
  const stop = new AbortController();
  const options = { path: await scriptModel(["Fine."]), chatTemplate: heavy.replace("messages|length > 9", "true") };
  const end = rejection(engine.models.load("m", options, { signal: stop.signal }));
  setTimeout(() => stop.abort(), 20);
  expect(["CANCELLED", "TEMPLATE_FAILED"]).toContain(((await end) as LlamaHooksError).code);
});

test("close() ends an estimate that looks at a template", async () => {
  const engine = await openEngine([], { models: {} });
  const options = { path: await scriptModel(["Fine."]), chatTemplate: heavy.replace("messages|length > 9", "true") };
  const end = rejection(engine.models.estimate(options));
  const closed = new Promise<void>((resolve) => void setTimeout(() => void engine.close().then(resolve), 20));
  expect(["CLOSED", "TEMPLATE_FAILED"]).toContain(((await end) as LlamaHooksError).code);
  await closed;
});
