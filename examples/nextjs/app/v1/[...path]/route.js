// Everything under /v1: the endpoints for clients of OpenAI and Anthropic.
import { createHandler } from "llama-hooks/server";
import { engine } from "../../../lib/engine.js";

let handler;

async function answer(request) {
  handler ??= createHandler(await engine()); // not while the app is built, which reads this file, too
  return handler(request);
}

export { answer as GET, answer as POST };
