import { expect, test } from "vitest";
import type { LlamaHooksError, OptionError } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

/** The option that the error names. */
async function paramOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
  } catch (error) {
    return (error as LlamaHooksError | OptionError).param;
  }
  throw new Error("nothing was refused");
}

test("a refused option is named by its path", async () => {
  const engine = await openEngine(["Never."]);
  const tools = [{ name: "clock" }];
  const cases: [string, () => unknown][] = [
    ["topK", () => engine.generate("Hi", { topK: -1 })],
    ["topk", () => engine.generate("Hi", { topk: 1 } as object)],
    ["stop", () => engine.generate("Hi", { stop: "" })],
    ["logitBias[0].token", () => engine.generate("Hi", { logitBias: [{ token: -1, bias: 1 }] })],
    ["toolChoice", () => engine.generate("Hi", { toolChoice: "always" as "auto" })],
    ["toolChoice.tool", () => engine.generate("Hi", { toolChoice: { tool: "" } })],
    ["tools[0].name", () => engine.generate("Hi", { tools: [{ name: "a b" }] })],
    ["maxIterations", () => engine.session({ maxIterations: 0 })],
    ["tags.a", () => engine.generate("Hi", { tags: { a: {} as string } })],
    // These only the engine can refuse.
    ["toolChoice", () => engine.generate("Hi", { tools, toolChoice: { tool: "map" } })],
    ["jsonSchema", () => engine.generate("Hi", { jsonSchema: { type: "string", pattern: "(" } })],
  ];
  for (const [param, run] of cases) expect(await paramOf(run), `${param}: ${run}`).toBe(param);
});

test("other errors name no option", async () => {
  const engine = await openEngine(["Never."], { contextSize: 64 });
  expect(await paramOf(() => engine.generate("too long ".repeat(50)))).toBeUndefined();
});
