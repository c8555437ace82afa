// The utility process: one engine with its hooks. It answers one prompt after another and sends each token.
import { cancel, createEngine } from "llama-hooks";

/** @typedef {{ type: "ask", prompt: string } | { type: "stop" }} Request */

const port = process.parentPort;
const [, , model] = process.argv;
const engine = await createEngine(model === undefined ? {} : { model });
engine.hooks.guard(
  "preGenerate",
  ({ messages }) =>
    messages.some(({ content }) => /password/i.test(content)) ? cancel("passwords stay here") : undefined,
  { name: "no-passwords" },
);

/** @type {AbortController | undefined} */
let running;

/** @param {string} prompt */
async function answer(prompt) {
  const stop = (running = new AbortController());
  try {
    for await (const event of engine.generate(prompt, { signal: stop.signal, maxTokens: 512 })) {
      if (event.type === "token") port.postMessage({ type: "token", text: event.text });
      if (event.type !== "end") continue;
      const { finishReason, cancel: veto } = event.result;
      port.postMessage({ type: "end", text: veto?.reason ?? finishReason });
    }
  } catch (error) {
    port.postMessage({ type: "end", text: String(error) });
  }
}

let last = Promise.resolve();
port.on("message", ({ data }) => {
  const request = /** @type {Request} */ (data);
  if (request.type === "stop") running?.abort();
  else last = last.then(() => answer(request.prompt));
});
port.postMessage({ type: "end", text: "ready" });
