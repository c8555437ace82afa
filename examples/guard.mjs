// Adds a guard, which runs after all other hooks, sees the exact messages for the model and may stop the call. A guard
// fails closed: if it throws or does not answer in time, it also stops the call. Run: node examples/guard.mjs
import { cancel, createEngine } from "llama-hooks";

const engine = await createEngine();
engine.hooks.on("preGenerate", ({ messages }) => ({
  messages: [{ role: "system", content: "Be brief." }, ...messages],
}));
engine.hooks.guard(
  "preGenerate",
  ({ messages }) =>
    messages.some(({ content }) => /password/i.test(content)) ? cancel("passwords stay here") : undefined,
  { name: "no-passwords" },
);

for (const prompt of ["Hello!", "My password is hunter2."]) {
  const { text, finishReason, cancel: veto } = await engine.generate(prompt, { temperature: 0, maxTokens: 64 });
  console.log(`${prompt} -> ${finishReason === "cancelled" ? `cancelled by ${veto.by}: ${veto.reason}` : text}`);
}
await engine.close();
