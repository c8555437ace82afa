// The engine of this server: one for all requests, and for all reloads of this file in `next dev`.
import { cancel, createEngine } from "llama-hooks";

async function open() {
  const engine = await createEngine({ model: process.env.MODEL });
  engine.hooks.guard(
    "preGenerate",
    ({ messages }) =>
      messages.some(({ content }) => /password/i.test(content)) ? cancel("passwords stay here") : undefined,
    { name: "no-passwords" },
  );
  return engine;
}

/** Resolves with the engine, which loads the model at the first call. */
export function engine() {
  return (globalThis.engine ??= open());
}
