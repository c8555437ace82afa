// Spans and metrics of remote models: the provider and the server.
import { SpanKind } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { remote } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { spanOf, telemetry } from "../support/integrations/otel.js";
import { openaiServer } from "../support/remote/openai-server.js";

const where = ["gen_ai.provider.name", "server.address", "server.port"] as const;

test("calls to a server have its address, and the run and local calls do not", async () => {
  const server = await openaiServer(["Hello."]);
  const engine = await openEngine(["Here."], {});
  await engine.models.load("early", { provider: remote(server.url, { model: "m" }) });
  const { spans, metrics } = telemetry();
  await engine.models.load("far", { provider: remote(server.url, { model: "m" }) });
  await engine.generate("hi", { model: "far" });
  await engine.session({ model: "early" }).run("hi");
  await engine.generate("hi", { model: "default" });
  const about = (name: string): unknown[] => {
    const { kind, attributes } = spanOf(spans(), name);
    return [kind, ...where.map((attribute) => attributes[attribute])];
  };
  const port = Number(new URL(server.url).port);
  for (const name of ["load_model far", "chat far", "chat early"])
    expect([name, ...about(name)]).toEqual([name, SpanKind.CLIENT, "openai", "127.0.0.1", port]);
  for (const name of ["invoke_agent", "chat default"])
    expect([name, ...about(name)]).toEqual([name, SpanKind.INTERNAL, "llama_hooks", undefined, undefined]);
  const durations = (await metrics()).filter(({ name }) => name === "gen_ai.client.operation.duration");
  const ports = durations.flatMap(({ attributes }) =>
    attributes["gen_ai.provider.name"] === "openai" ? [attributes["server.port"]] : [],
  );
  expect(ports).toEqual([port, port, port]);
});

test.each([
  ["https://[::1]/v1", ["openai", "::1", 443]],
  ["http://models.example/v1", ["openai", "models.example", 80]],
])("the server of %s", async (address, expected) => {
  const engine = await openEngine([], { models: {} });
  const { spans } = telemetry();
  await engine.models.load("far", { provider: remote(address, { model: "m" }) });
  const { attributes } = spanOf(spans(), "load_model far");
  expect(where.map((name) => attributes[name])).toEqual(expected);
});

test.each([
  ["openai.chat", "openai"],
  ["google.generative-ai", "gcp.gemini"],
  ["google.vertex.chat", "gcp.vertex_ai"],
  ["amazon-bedrock", "aws.bedrock"],
  ["azure.responses", "azure.ai.openai"],
  ["mistral.chat", "mistral_ai"],
  ["xai.chat", "x_ai"],
  ["my-provider", "my-provider"],
])("the provider %s of an AI SDK model is %s, without a server", async (name, expected) => {
  const engine = await openEngine([], { models: {} });
  const { spans } = telemetry();
  const model = {
    specificationVersion: "v3",
    provider: name,
    modelId: "m",
    supportedUrls: {},
    doGenerate: fail,
    doStream: fail,
  };
  await engine.models.load("far", { provider: model as never });
  const { kind, attributes } = spanOf(spans(), "load_model far");
  expect([kind, ...where.map((attribute) => attributes[attribute])]).toEqual([
    SpanKind.CLIENT,
    expected,
    undefined,
    undefined,
  ]);
});

function fail(): never {
  throw new Error("nothing is sent until the model is used");
}

test("an id that a local model takes over is local again", async () => {
  const server = await openaiServer(["Hello."]);
  const engine = await openEngine(["Here."]);
  const { path } = engine.models.describe("default");
  await engine.models.unload("default");
  await engine.models.load("default", { provider: remote(server.url, { model: "m" }) });
  await engine.models.unload("default");
  const { spans } = telemetry();
  await engine.models.load("default", { path, threads: 1 });
  await engine.generate("hi");
  for (const name of ["load_model default", "chat default"])
    expect(spanOf(spans(), name).attributes["gen_ai.provider.name"]).toBe("llama_hooks");
});
