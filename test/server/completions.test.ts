// Continuations of texts, and texts of gaps, over HTTP.
import { expect, test } from "vitest";
import { eventsOf, openServer, refusalOf } from "../support/http/server.js";

const open = () => openServer({ replies: ["the middle"], infills: true });

test("the client of OpenAI gets the continuation of a text that no template touches", async () => {
  const { client, engine } = await open();
  const prompts: unknown[] = [];
  engine.hooks.on("preGenerate", ({ prompt }) => void prompts.push(prompt));
  const answer = await client.completions.create({ model: "default", prompt: "Once", logprobs: 2, max_tokens: 50 });
  expect(answer).toMatchObject({
    object: "text_completion",
    choices: [{ text: "the middle", finish_reason: "stop" }],
    usage: { prompt_tokens: 4 },
  });
  expect(answer.choices[0]?.logprobs?.tokens?.join("")).toBe("the middle");
  expect(prompts).toEqual(["Once"]);
});

test("a stream of it has the same text, and the usage if it is wanted", async () => {
  const { client } = await open();
  const stream = await client.completions.create({
    model: "default",
    prompt: "Once",
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks.map(({ choices: [choice] }) => choice?.text ?? "").join("")).toBe("the middle");
  expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: null });
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 4 } });
});

test("a suffix, and the form of llama-server, fill a gap", async () => {
  const { post, client, engine } = await open();
  const prompts: unknown[] = [];
  engine.hooks.on("preGenerate", ({ prompt }) => void prompts.push(prompt));
  const answer = await client.completions.create({ model: "default", prompt: "before ", suffix: " after" });
  expect(answer.choices).toMatchObject([{ text: "the middle" }]);
  const form = { input_prefix: "before ", input_suffix: " after", n_predict: 50 };
  expect(await (await post("/infill", form)).json()).toMatchObject({ content: "the middle", stop: true });
  const events = eventsOf(await (await post("/infill", { ...form, stream: true })).text());
  expect(events.map(({ data }) => (data as { content?: string }).content ?? "").join("")).toBe("the middle");
  expect(new Set(prompts)).toEqual(new Set(["<|fim_prefix|>before <|fim_suffix|> after<|fim_middle|>"]));
});

test("an editor warms the cache: its files are read, and nothing is written", async () => {
  const { post, engine } = await open();
  const prompts: string[] = [];
  engine.hooks.on("preGenerate", ({ prompt }) => void prompts.push(prompt ?? ""));
  const extra = [{ filename: "a.py", text: "A = 1" }];
  const form = { input_prefix: "", input_suffix: "", prompt: "", n_predict: 0, input_extra: extra };
  expect(await (await post("/infill", form)).json()).toMatchObject({ content: "", stop: true });
  const events = eventsOf(await (await post("/infill", { ...form, stream: true })).text());
  expect(events.map(({ data }) => (data as { content?: string }).content ?? "").join("")).toBe("");
  expect(prompts.map((prompt) => prompt.includes("A = 1"))).toEqual([true, true]);
  expect(await (await post("/v1/completions", { prompt: "Once", n_predict: -1 })).json()).toMatchObject({
    choices: [{ text: "the middle" }],
  });
});

test("members that are for chat templates are ignored, and named", async () => {
  const { post } = await open();
  const answer = await post("/v1/completions", { prompt: "Once", reasoning_effort: "low", parallel_tool_calls: true });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("llama-hooks-ignored")?.split(", ")).toEqual(["reasoning_effort", "parallel_tool_calls"]);
});

test.each<[string, string, object, string]>([
  ["no prompt", "/v1/completions", {}, "prompt"],
  ["several prompts", "/v1/completions", { prompt: ["a", "b"] }, "prompt"],
  ["several answers", "/v1/completions", { prompt: "a", n: 2 }, "n"],
  ["an echo", "/v1/completions", { prompt: "a", echo: true }, "echo"],
  ["no text around the gap", "/infill", {}, "input_prefix"],
  ["too many alternatives", "/v1/completions", { prompt: "a", logprobs: 21 }, "logprobs"],
  ["a text as the amount", "/infill", { input_prefix: "a", n_predict: "5" }, "n_predict"],
  ["an amount below the least", "/v1/completions", { prompt: "a", n_predict: -2 }, "n_predict"],
  ["a prompt that is too long", "/v1/completions", { prompt: "word ".repeat(5000) }, "prompt"],
  ["files that are none", "/infill", { input_prefix: "a", input_extra: [{}] }, "input_extra[0].text"],
])("%s is refused with its place", async (_, path, body, param) => {
  const { post } = await open();
  expect((await refusalOf(await post(path, body))).at(3)).toBe(param);
});
