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
  let text = "";
  let last: unknown;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? "";
    last = chunk;
  }
  expect(text).toBe("the middle");
  expect(last).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: { prompt_tokens: 4 } });
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

test.each<[string, string, object, string]>([
  ["no prompt", "/v1/completions", {}, "prompt"],
  ["several prompts", "/v1/completions", { prompt: ["a", "b"] }, "prompt"],
  ["several answers", "/v1/completions", { prompt: "a", n: 2 }, "n"],
  ["an echo", "/v1/completions", { prompt: "a", echo: true }, "echo"],
  ["no text around the gap", "/infill", {}, "input_prefix"],
  ["files that are none", "/infill", { input_prefix: "a", input_extra: [{}] }, "input_extra[0].text"],
])("%s is refused with its place", async (_, path, body, param) => {
  const { post } = await open();
  expect((await refusalOf(await post(path, body))).at(3)).toBe(param);
});
