// Models, aliases, metrics and health.
import { expect, test } from "vitest";
import { scriptModel } from "../support/engine.js";
import { chatOf, openServer, refusalOf } from "../support/http/server.js";

const forever = { replies: ["Hello there."], afterLast: "repeat" } as const;
const chat = "/v1/chat/completions";

test("models are listed by id and by alias, without their files", async () => {
  const { client, server } = await openServer(forever, {
    aliases: { "gpt-4o": "default", gone: "nothing", "*": "default" },
  });
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(["default", "gpt-4o"]);
  expect(await client.models.retrieve("gpt-4o")).toMatchObject({
    id: "gpt-4o",
    object: "model",
    owned_by: "llama-hooks",
  });
  expect(await (await fetch(`${server.origin}/v1/models`)).text()).not.toContain(".gguf");
  expect(await refusalOf(await fetch(`${server.origin}/v1/models/other`))).toEqual([
    404,
    "not_found_error",
    "model_not_found",
    "model",
  ]);
  expect((await fetch(`${server.origin}/v1/models/%E0%A4%A`)).status).toBe(404);
});

test("a model with a slash in its id is found", async () => {
  const file = await scriptModel(forever);
  const { client } = await openServer([], {}, { models: { "hf:user/repo:Q4": file } });
  expect((await client.models.retrieve("hf:user/repo:Q4")).id).toBe("hf:user/repo:Q4");
});

test("requests reach models by alias; a star stands for every other name", async () => {
  const [one, two] = [
    await scriptModel({ replies: ["I am one."], afterLast: "repeat" }),
    await scriptModel({ replies: ["I am two."], afterLast: "repeat" }),
  ];
  const { post } = await openServer([], { aliases: { small: "one", "*": "two" } }, { models: { one, two } });
  const said = [];
  for (const model of ["one", "two", "small", "gpt-4o", undefined]) {
    const answer = (await (await post(chat, chatOf({ model }))).json()) as {
      model: string;
      choices: { message: { content: string } }[];
    };
    said.push([model, answer.model, answer.choices[0]?.message.content]);
  }
  expect(said).toEqual([
    ["one", "one", "I am one."],
    ["two", "two", "I am two."],
    ["small", "one", "I am one."],
    ["gpt-4o", "two", "I am two."],
    [undefined, "two", "I am two."],
  ]);
});

test("a request reaches no model that is not loaded, and no file", async () => {
  const file = await scriptModel(forever);
  const { post, engine } = await openServer(forever);
  for (const model of [file, "hf:user/repo:Q4", "../default", "DEFAULT"])
    expect((await refusalOf(await post(chat, chatOf({ model }))))[0], model).toBe(404);
  expect(engine.models.list()).toHaveLength(1);
});

test("metrics count requests, tokens and durations", async () => {
  const { post, server } = await openServer(forever);
  const answer = (await (await post(chat, chatOf())).json()) as {
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  await post(chat, "{");
  await fetch(`${server.origin}/nothing/${"x".repeat(50)}`);
  const response = await fetch(`${server.origin}/metrics`);
  expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  const lines = (await response.text()).split("\n");
  const { usage } = answer;
  for (const line of [
    `llama_hooks_http_requests_total{endpoint="${chat}",status="200"} 1`,
    `llama_hooks_http_requests_total{endpoint="${chat}",status="400"} 1`,
    'llama_hooks_http_requests_total{endpoint="other",status="404"} 1',
    "llama_hooks_http_requests_in_flight 1",
    `llama_hooks_tokens_total{model="default",kind="prompt"} ${usage.prompt_tokens}`,
    `llama_hooks_tokens_total{model="default",kind="completion"} ${usage.completion_tokens}`,
    `llama_hooks_http_request_duration_seconds_bucket{endpoint="${chat}",le="+Inf"} 2`,
    `llama_hooks_http_request_duration_seconds_count{endpoint="${chat}"} 2`,
  ])
    expect(lines).toContain(line);
});
