import { expect, test } from "vitest";
import { openEmbedder } from "../support/embeddings.js";
import { openEngine } from "../support/engine.js";
import { asks, runOnce } from "../support/sessions.js";
import { telemetry } from "../support/integrations/otel.js";

test("each operation has a duration, and model calls have their tokens and times", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  const { metrics } = telemetry();
  const { usage } = await runOnce(engine);
  const all = await metrics();
  const of = (name: string, operation: string) =>
    all.filter((one) => one.name === name && one.attributes["gen_ai.operation.name"] === operation);
  expect(of("gen_ai.client.operation.duration", "chat")).toMatchObject([{ count: 2 }]);
  expect(of("gen_ai.client.operation.duration", "invoke_agent")).toMatchObject([{ count: 1 }]);
  expect(of("gen_ai.client.operation.duration", "execute_tool")).toMatchObject([{ count: 1 }]);
  const tokens = of("gen_ai.client.token.usage", "chat");
  expect(tokens.map(({ attributes, sum }) => [attributes["gen_ai.token.type"], sum])).toEqual([
    ["input", usage.promptTokens],
    ["output", usage.completionTokens],
  ]);
  expect(of("gen_ai.server.time_to_first_token", "chat")).toMatchObject([{ count: 2 }]);
});

test("embeddings count the tokens that they read", async () => {
  const { engine } = await openEmbedder();
  const { metrics } = telemetry();
  const { tokens } = await engine.embed(["one", "two three"]);
  const used = (await metrics()).filter(({ name }) => name === "gen_ai.client.token.usage");
  expect(used).toMatchObject([
    {
      attributes: { "gen_ai.operation.name": "embeddings", "gen_ai.token.type": "input" },
      sum: tokens.reduce((sum, one) => sum + one, 0),
    },
  ]);
});
