// The server over node:http, and as a function of the runtime's own server if it has one.
import { createEngine } from "llama-hooks";
import { createHandler, serve } from "llama-hooks/server";

async function asked(address) {
  const messages = [{ role: "user", content: "Hello!" }];
  const body = JSON.stringify({ model: "default", messages, temperature: 0, stream: true });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body });
  const events = (await response.text()).split("\n\n").map((line) => line.replace("data: ", ""));
  const pieces = events.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
  return pieces.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}

const engine = await createEngine({ gpu: false, threads: 1 });
const server = await serve(engine, { port: 0 });
console.log(await asked(server.origin));
await server.close();

const handler = createHandler(engine);
if (globalThis.Bun !== undefined) {
  const own = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => handler(request) });
  console.log(await asked(`http://127.0.0.1:${own.port}`));
  await own.stop(true);
} else if (globalThis.Deno !== undefined) {
  const own = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => handler(request));
  console.log(await asked(`http://127.0.0.1:${own.addr.port}`));
  await own.shutdown();
}
await handler.close();
await engine.close();
