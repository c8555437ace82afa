// A Hono app with a local model. Under /v1 it answers clients of OpenAI and Anthropic; POST /ask asks it through the AI
// SDK. A guard of the engine checks both. Needs `npm install hono @hono/node-server ai`.
// Run: node examples/hono.mjs
import { serve } from "@hono/node-server";
import { generateText } from "ai";
import { Hono } from "hono";
import { cancel, createEngine } from "llama-hooks";
import { llamaHooks } from "llama-hooks/ai-sdk";
import { createHandler } from "llama-hooks/server";

const engine = await createEngine();
engine.hooks.guard(
  "preGenerate",
  ({ messages }) =>
    messages.some(({ content }) => /password/i.test(content)) ? cancel("passwords stay here") : undefined,
  { name: "no-passwords" },
);
const model = llamaHooks(engine)("default");
const openai = createHandler(engine);

const app = new Hono();
app.all("/v1/*", ({ req }) => openai(req.raw));
app.post("/ask", async (context) => {
  const { prompt } = await context.req.json();
  const { signal } = context.req.raw;
  const { text, providerMetadata } = await generateText({ model, prompt, temperature: 0, abortSignal: signal });
  const veto = providerMetadata.llamaHooks.cancel;
  return veto === undefined ? context.json({ text }) : context.json({ by: veto.by, reason: veto.reason }, 403);
});

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }, (info) =>
  console.log(`http://127.0.0.1:${info.port}`),
);
process.once("SIGTERM", () => {
  server.close(() => void engine.close());
  server.closeIdleConnections();
});
