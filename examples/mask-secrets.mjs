// Masks numbers of four and more digits in the model's output, even across several tokens: redact() holds back text
// that may still become a secret. Run: node examples/mask-secrets.mjs
import { createEngine } from "llama-hooks";
import { redact } from "llama-hooks/hooks";

const engine = await createEngine();
engine.hooks.use(redact(/\d{4,}/, { mask: "****" }));

const tool = { role: "tool", toolCallId: "1", toolName: "calculator", content: "8765432" };
const call = { id: "1", name: "calculator", args: { expression: "1234 * 7103" } };
const generation = engine.generate(
  [{ role: "user", content: "What is 1234 * 7103?" }, { role: "assistant", content: "", toolCalls: [call] }, tool],
  { temperature: 0, maxTokens: 64 },
);
for await (const event of generation) if (event.type === "token") process.stdout.write(event.text);
const { text } = await generation;
console.log(`\n${text}`);
await engine.close();
