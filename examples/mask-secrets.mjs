// Mask numbers of four and more digits in the stream, also when they come in several tokens: text that may still grow
// into a secret is held, which joins it to the next token's. Run: node examples/mask-secrets.mjs
import { createEngine } from "llama-hooks";

const engine = await createEngine();
engine.hooks.on(
  "streamToken",
  ({ text }) => (/\d$/.test(text) ? { hold: true } : { text: text.replace(/\d{4,}/g, "****") }),
  { name: "mask-numbers" },
);
// Held text is flushed at the end as it is: what the last token left over is masked here.
engine.hooks.on("postGenerate", ({ content }) => ({ content: content.replace(/\d{4,}/g, "****") }), {
  name: "mask-rest",
});

const tool = { role: "tool", toolCallId: "1", toolName: "calculator", content: "8765432" };
const call = { id: "1", name: "calculator", args: { expression: "1234 * 7103" } };
const { text, decisions } = await engine.generate(
  [{ role: "user", content: "What is 1234 * 7103?" }, { role: "assistant", content: "", toolCalls: [call] }, tool],
  { temperature: 0, maxTokens: 64 },
);
console.log(text);
for (const { point, hooks } of decisions) {
  for (const { name, outcome } of hooks) if (outcome === "modified") console.log(`  ${point}: ${name}`);
}
await engine.close();
