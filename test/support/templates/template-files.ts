// The chat templates that come with llama.cpp.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { isLong } from "../amount.js";

const folder = fileURLToPath(new URL("../../../build/llama.cpp/models/templates", import.meta.url));

export const templateNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".jinja"))
  .map((file) => file.slice(0, -".jinja".length))
  .sort();

/** One template for each way in which llama.cpp reads answers, and one without calls. */
const sample: readonly string[] = [
  "Apriel-1.6-15b-Thinker-fixed",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
  "GLM-4.6",
  "Kimi-K2-Instruct",
  "LFM2.5-Instruct",
  "MiniMax-M2",
  "Mistral-Small-3.2-24B-Instruct-2506",
  "NVIDIA-Nemotron-Nano-v2",
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
  "Qwen3-Coder",
  "deepseek-ai-DeepSeek-V3.1",
  "google-gemma-2-2b-it",
  "google-gemma-4-31B-it",
  "meetkai-functionary-medium-v3.1",
  "meta-llama-Llama-3.1-8B-Instruct",
  "openai-gpt-oss-120b",
];

/** True if this run takes every template: `npm run test:long` does, `npm test` takes a sample. */
export const isEveryTemplate = isLong;

/** The templates of this run. */
export const chosenTemplates = isEveryTemplate ? templateNames : templateNames.filter((name) => sample.includes(name));

/** The text of a template, by its name in the bundle, without `.jinja`. */
export function templateSource(name: string): string {
  return readFileSync(path.join(folder, `${name}.jinja`), "utf8");
}
