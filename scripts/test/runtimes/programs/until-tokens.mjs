// Generates without end and calls `now` once tokens come.
import { createEngine } from "llama-hooks";

export async function untilTokens(now) {
  const engine = await createEngine({ model: "endless.gguf", gpu: false, threads: 1 });
  engine.hooks.on("streamToken", async () => undefined);
  let printed = false;
  for await (const event of engine.generate("go", { maxTokens: 3000 })) {
    if (event.type !== "token" || printed) continue;
    printed = true;
    now();
  }
}
