// Serves the bundled model to clients of the OpenAI API, asks it once as such a client, and ends. A hook answers one
// question in place of the model. Run: node examples/server.mjs
import { createEngine, defineHooks } from "llama-hooks";
import { serve } from "llama-hooks/server";

const engine = await createEngine();
const time = defineHooks("time", {
  preGenerate: ({ messages }) =>
    messages.at(-1)?.content === "What time is it?" ? { response: "Time for tea." } : undefined,
});
const server = await serve(engine, { port: 0, hooks: time, aliases: { "gpt-4o": "default" } });

for (const content of ["What time is it?", "Hello!"]) {
  const response = await fetch(`${server.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", temperature: 0, max_tokens: 32, messages: [{ role: "user", content }] }),
  });
  const { choices } = await response.json();
  console.log(`${content} -> ${choices[0].message.content}`);
}
await server.close();
await engine.close();
