// A remote model behind the server takes the requests that clients of every protocol send, by both versions of the
// provider interface, and the response names the members without an effect.
import { createOpenAICompatible as version3 } from "@ai-sdk/openai-compatible";
import { expect, test } from "vitest";
import { type ProvidedModelOptions, remote } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { chatOf, eventsOf, type Served, serveEngine, weather } from "../support/http/server.js";
import { testWith, version4 } from "../support/integrations/node-22.js";
import { type OpenaiServer, openaiServer } from "../support/remote/openai-server.js";

type Provider = ProvidedModelOptions["provider"];
const settings = ({ url }: OpenaiServer): Parameters<typeof version3>[0] => ({
  name: "far",
  baseURL: url,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const providers: Readonly<Record<string, (server: OpenaiServer) => Provider>> = {
  "remote()": ({ url }) => remote(url, { model: "m" }),
  "version 3": (server) => version3(settings(server))("m"),
  "version 4": (server) => version4(settings(server))("m"),
};

async function open(
  provider: ((server: OpenaiServer) => Provider) | undefined,
): Promise<Served & { far: OpenaiServer }> {
  const far = await openaiServer(() => "Hello there.");
  if (provider === undefined) throw new Error("no provider");
  const engine = await openEngine([], { models: { default: { provider: provider(far) } } });
  return { ...(await serveEngine(engine)), far };
}

const message = (more: object = {}): object => ({
  model: "default",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});
const tool = { name: "weather", description: "The weather", input_schema: { type: "object", properties: {} } };
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };

const requests: readonly (readonly [string, object, ignored?: string])[] = [
  ["/v1/messages", message()],
  ["/v1/messages", message({ system: "Be brief.", temperature: 0.5, top_p: 0.9, stop_sequences: ["END"] })],
  ["/v1/messages", message({ top_k: 40 }), "top_k"],
  ["/v1/messages", message({ tools: [tool], tool_choice: { type: "auto", disable_parallel_tool_use: true } })],
  ["/v1/messages", message({ metadata: { user_id: "ann" }, thinking: { type: "adaptive" } })],
  ["/v1/messages", message({ thinking: { type: "enabled", budget_tokens: 1024 } }), "thinking.budget_tokens"],
  ["/v1/messages", message({ thinking: { type: "disabled" } }), "thinking"],
  ["/v1/messages/count_tokens", message()],
  ["/v1/chat/completions", chatOf({ temperature: 0.2, seed: 3, max_completion_tokens: 50, n: 1, user: "ann" })],
  ["/v1/chat/completions", chatOf({ presence_penalty: 0.1, frequency_penalty: 0.1, stop: "END", logprobs: false })],
  ["/v1/chat/completions", chatOf({ tools: [weather], tool_choice: "auto", parallel_tool_calls: false })],
  ["/v1/chat/completions", chatOf({ reasoning_effort: "low" }), "reasoning_effort"],
  ["/v1/chat/completions", chatOf({ reasoning_effort: "none" }), "reasoning_effort"],
  ["/v1/chat/completions", chatOf({ response_format: { type: "json_schema", json_schema: { name: "a", schema } } })],
  ["/v1/responses", { model: "default", input: "Hi", instructions: "Be brief.", max_output_tokens: 50, store: false }],
  ["/v1/responses", { model: "default", input: "Hi", reasoning: { effort: "high" } }, "reasoning.effort"],
];

for (const [name, provider] of Object.entries(providers)) {
  testWith(
    name === "version 4",
    `${name}: requests as clients send them are answered, whole and streamed`,
    async () => {
      const { post } = await open(provider);
      const answers: unknown[] = [];
      for (const [path, body, ignored] of requests) {
        const streams = path.endsWith("count_tokens") ? [false] : [false, true];
        for (const stream of streams) {
          const response = await post(path, stream ? { ...body, stream } : body);
          const text = await response.text();
          const isWhole = path.endsWith("count_tokens") || text.includes(stream ? "there" : "Hello there.");
          // Version 4 has an option not to reason.
          const isKnown = name === "version 4" && JSON.stringify(body).match(/"disabled"|"none"/) !== null;
          const ignoredHeader = response.headers.get("llama-hooks-ignored");
          answers.push([path, body, response.status, isWhole, ignoredHeader, response.ok ? "" : text]);
          expect(answers.at(-1)).toEqual([path, body, 200, true, isKnown ? null : (ignored ?? null), ""]);
        }
      }
      expect(answers.length).toBe(2 * requests.length - 1);
    },
  );
}

for (const name of ["version 3", "version 4"])
  testWith(
    name === "version 4",
    `${name}: a parameter at the protocol's default is not sent, and one that cannot be left out is refused by name`,
    async () => {
      const { post, far, engine } = await open(providers[name]);
      expect((await post("/v1/messages", message())).status).toBe(200);
      expect(Object.keys(far.requests[0]?.body ?? {}).toSorted()).toEqual(
        ["max_tokens", "messages", "model", "stream", "stream_options"].toSorted(),
      );
      const refused = await post("/v1/chat/completions", chatOf({ logprobs: true }));
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("logprobs") as string]);
      await expect(engine.generate("Hi", { topK: 3 })).rejects.toMatchObject({ code: "UNSUPPORTED_BY_MODEL" });
    },
  );

test("a local model does not reason unless /v1/messages asks for it", async () => {
  const engine = await openEngine(["Hello there."]);
  const { post } = await serveEngine(engine);
  const asked: unknown[] = [];
  engine.hooks.on("preGenerate", ({ params }) => void asked.push(params.reasoning));
  await post("/v1/messages", message());
  await post("/v1/messages", message({ thinking: { type: "adaptive" } }));
  const stream = await post("/v1/messages", message({ stream: true }));
  expect(eventsOf(await stream.text()).at(-1)).toMatchObject({ event: "message_stop" });
  expect(asked).toEqual([false, true, false]);
});
