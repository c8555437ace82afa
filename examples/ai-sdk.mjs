// The AI SDK with a local model: the AI SDK runs the tools, and hooks of the engine see every model call. A guard
// refuses messages that must not be sent to the model. Needs `npm install ai` (version 6 or 7). Run: node
// examples/ai-sdk.mjs
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import { cancel, createEngine } from "llama-hooks";
import { llamaHooks } from "llama-hooks/ai-sdk";

const engine = await createEngine();
engine.hooks.guard(
  "preGenerate",
  ({ messages }) =>
    messages.some(({ content }) => /password/i.test(content)) ? cancel("passwords stay here") : undefined,
  { name: "no-passwords" },
);

const calculator = tool({
  description: "Evaluates an arithmetic expression.",
  inputSchema: jsonSchema({
    type: "object",
    properties: { expression: { type: "string" } },
    required: ["expression"],
  }),
  execute: ({ expression }) => {
    const [left, right] = expression.split("*").map(Number);
    return String(left * right);
  },
});

const model = llamaHooks(engine)("default");
for (const prompt of ["What is 12 * 7?", "My password is hunter2."]) {
  const result = streamText({ model, prompt, tools: { calculator }, stopWhen: stepCountIs(4), temperature: 0 });
  process.stdout.write(`${prompt} -> `);
  for await (const text of result.textStream) process.stdout.write(text);
  const { cancel: veto } = (await result.providerMetadata).llamaHooks;
  console.log(veto === undefined ? "" : `refused by ${veto.by}: ${veto.reason}`);
}
await engine.close();
