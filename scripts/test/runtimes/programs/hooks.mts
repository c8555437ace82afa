// Hooks in TypeScript: on an agent's run with a tool, one changes the result, one waits at every token and one vetoes.
import { setTimeout as wait } from "node:timers/promises";
import { cancel, createEngine, defineHooks, type PostToolCallEvent, tool } from "llama-hooks";

const calculator = tool({
  name: "calculator",
  description: "Evaluates an arithmetic expression.",
  parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  run: ({ expression }: { expression: string }) => (expression === "12 * 7" ? "84" : "too hard"),
});

let tokens = 0;
const watch = defineHooks("watch", {
  postToolCall: ({ result }: PostToolCallEvent) => ({ result: result.replace("84", "85") }),
  streamToken: async () => {
    await wait(1);
    tokens += 1;
  },
});

const engine = await createEngine({ gpu: false, threads: 1 });
engine.hooks.use(watch);
const asked = "What is 12 * 7?";
const { text } = await engine.session({ tools: [calculator], temperature: 0 }).run(asked);
console.log(text, tokens > 10);

engine.hooks.guard("preToolCall", ({ toolName }) => cancel(`no ${toolName}`));
const run = engine.session({ tools: [calculator], temperature: 0 }).run(asked);
for await (const event of run) if (event.type === "toolResult") console.log(event.record.result);

const stop = new AbortController();
const stopped = engine.generate("Hello!", { signal: stop.signal, temperature: 0 });
engine.hooks.on("streamToken", () => stop.abort());
console.log((await stopped).finishReason);
await engine.close();
