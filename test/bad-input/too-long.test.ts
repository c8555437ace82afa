// PROMPT_TOO_LONG and MODEL_NOT_LOADED say what can be done.
import { expect, test } from "vitest";
import type { LlamaHooksError } from "../../src/index.js";
import { openEngine, rejection, scriptModel } from "../support/engine.js";

async function messageOf(call: PromiseLike<unknown>, code: string): Promise<string> {
  const error = (await rejection(call)) as LlamaHooksError;
  expect(error.code).toBe(code);
  return error.message;
}

const clock = (description: string) => ({ name: "clock", description, run: () => "12:00" });

test("a prompt that is too long names its parts, the largest first, the option, and what the model can hold", async () => {
  const engine = await openEngine(["Hello."], { contextSize: 256 });
  const options = { system: "s".repeat(200), tools: [{ name: "clock", description: "d".repeat(900) }] };
  const message = await messageOf(engine.generate("h".repeat(400), options), "PROMPT_TOO_LONG");
  expect(message).toMatch(
    /^the prompt has (?:at least )?\d+ tokens and the context holds 256, .* \(tools about \d+, history about \d+, system about \d+\): raise contextSize, which is 256 \(by default 4096\); the model can hold 4096$/,
  );
  const [all, ...parts] = [
    /has (?:at least )?(\d+)/,
    /tools about (\d+)/,
    /history about (\d+)/,
    /system about (\d+)/,
  ].map((one) => Number(one.exec(message)?.[1]));
  expect(parts.reduce((sum, one) => sum + one, 0)).toBeGreaterThan((all ?? 0) * 0.98);
});

test("parts that there are not are not named, nor is a size that the model cannot have", async () => {
  const engine = await openEngine(["Hello."]); // the model's maximum
  const message = await messageOf(engine.generate("h".repeat(5000)), "PROMPT_TOO_LONG");
  expect(message).toMatch(/ \(history about \d+\): shorten the largest part; the model can hold no more$/);
  const raw = await messageOf(engine.generate("h".repeat(5000), { raw: true }), "PROMPT_TOO_LONG");
  expect(raw).toMatch(/one of which the answer needs: shorten the largest part; the model can hold no more$/);
});

test("the default cap is called so", async () => {
  const engine = await openEngine([], {
    models: { big: await scriptModel({ replies: ["Hi."], contextLength: 16384 }) },
  });
  const message = await messageOf(engine.generate("h".repeat(5000)), "PROMPT_TOO_LONG");
  expect(message).toMatch(/: raise contextSize, which is 4096, the default cap; the model can hold 16384$/);
});

test("a run says it, too, to the caller and to hooks at error", async () => {
  const engine = await openEngine(["Hello."], { contextSize: 256 });
  const messages: string[] = [];
  engine.hooks.on("error", ({ message }) => void messages.push(message));
  const session = engine.session({ tools: [clock("d".repeat(2000))], compaction: "off" });
  const message = await messageOf(session.run("Hi"), "PROMPT_TOO_LONG");
  expect(message).toMatch(/ \(tools about \d+, history about \d+\): raise contextSize, which is 256/);
  expect(messages).toContain(message);
});

test("a model that is not loaded: the others are named", async () => {
  const [one, two] = [await scriptModel(["One."]), await scriptModel(["Two."])];
  const engine = await openEngine([], { models: { one, cold: { path: two, lazy: true } } });
  const gone = `no model named "gone" is loaded; loaded: "cold", "one"`;
  expect(await messageOf(engine.generate("Hi", { model: "gone" }), "MODEL_NOT_LOADED")).toBe(gone);
  expect(await messageOf(engine.session({ model: "gone" }).run("Hi"), "MODEL_NOT_LOADED")).toBe(gone);
  expect(() => engine.models.describe("gone")).toThrow(gone);
  expect(await messageOf(engine.models.unload("gone"), "MODEL_NOT_LOADED")).toBe(gone);
  expect(await messageOf(engine.embed("Hi", { model: "gone" }), "MODEL_NOT_LOADED")).toBe(gone);
  expect(await messageOf(engine.generate("Hi"), "MODEL_NOT_LOADED")).toBe(
    'several models are loaded: the request must name one of "cold", "one"',
  );
});

test("without any model it says that, and of many models it names ten", async () => {
  const engine = await openEngine([], { models: {} });
  const none = await messageOf(engine.generate("Hi", { model: "gone" }), "MODEL_NOT_LOADED");
  expect(none).toBe('no model named "gone" is loaded; no other is, either');
  const path = await scriptModel(["One."]);
  for (let i = 10; i < 22; i++) await engine.models.load(`m${i}`, { path, lazy: true });
  const many = await messageOf(engine.generate("Hi", { model: "gone" }), "MODEL_NOT_LOADED");
  expect(many).toMatch(/loaded: "m10", .*, "m19" and 2 more$/);
});
