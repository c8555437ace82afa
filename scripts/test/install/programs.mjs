// First programs of a user, for each way to import the package.

/** Generates with the bundled model and a hook, first in this process, then with `isolation: "process"`. */
const body = (name) => `
  const engine = await createEngine({ gpu: false, threads: 1 });
  const hook = engine.hooks.on("postToolCall", () => undefined);
  const { text } = await engine.generate("Hello", { maxTokens: 8, temperature: 0 });
  if (typeof text !== "string" || text === "") throw new Error("no text");
  await engine.close();
  const isolated = await createEngine({ gpu: false, threads: 1, isolation: "process" });
  const again = await isolated.generate("Hello", { maxTokens: 8, temperature: 0 });
  if (again.text !== text) throw new Error("other text in a process of its own: " + again.text);
  await isolated.close();
  console.log("${name} ok");
`;

/** Files by name; `run`: those that Node runs, in order. */
export const files = {
  "main.mjs": `import { createEngine } from "llama-hooks";\nimport "llama-hooks/hooks";\nimport "llama-hooks/ai-sdk";\nimport "llama-hooks/mcp";\nimport "llama-hooks/otel";\nimport "llama-hooks/testing";\n${body("import")}`,
  "main.cjs": `const { createEngine } = require("llama-hooks");\nrequire("llama-hooks/hooks");\nrequire("llama-hooks/ai-sdk");\nrequire("llama-hooks/mcp");\nrequire("llama-hooks/otel");\nrequire("llama-hooks/testing");\n(async () => {${body("require")}})();`,
  "worker.mjs": `import { Worker } from "node:worker_threads";\nnew Worker(new URL("./in-worker.mjs", import.meta.url)).on("error", (error) => { throw error; });`,
  "in-worker.mjs": `import { createEngine } from "llama-hooks";\n${body("worker")}`,
};
export const run = ["main.mjs", "main.cjs", "worker.mjs"];

/** A program that TypeScript must compile, with each resolution. */
export const typescript = `import { createEngine, defineHooks, type GenerateResult } from "llama-hooks";
import { llamaHooks } from "llama-hooks/ai-sdk";
import { writeScriptModel } from "llama-hooks/testing";
export const quiet = defineHooks("quiet", { streamToken: ({ text }) => ({ text: text.toLowerCase() }) });
export async function once(): Promise<GenerateResult> {
  await writeScriptModel("model.gguf", { replies: ["Hello."] });
  const engine = await createEngine({ model: "model.gguf" });
  return engine.generate("hi");
}
export async function viaAiSdk(): Promise<string> {
  return llamaHooks(await createEngine()).languageModel("default").modelId;
}
`;
export const resolutions = [
  { module: "node16", moduleResolution: "node16" },
  { module: "esnext", moduleResolution: "bundler" },
  // Node 20.19 and newer: CommonJS may require() ES modules.
  { module: "nodenext", moduleResolution: "nodenext", file: "types.cts" },
];
