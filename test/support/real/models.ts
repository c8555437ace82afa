// Real models and their references (scripts/real-models.mjs), for test/real.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const folder = process.env["LLAMA_HOOKS_REAL_MODELS"] ?? "";
const scriptOf = (name: string): string => fileURLToPath(new URL(`${name}.py`, import.meta.url));

const inFolder = (file: string): string => path.join(folder, file);
export const smollm = inFolder("SmolLM2-135M-Instruct.Q4_1.gguf");
export const gemma = inFolder("gemma-3-270m-q4_k_m.gguf");
/** The decoders, by name. */
export const decoders: [string, string][] = [
  ["SmolLM2-135M-Instruct", smollm],
  ["Gemma 3 270M", gemma],
];

export const embedder = inFolder("all-MiniLM-L6-v2.f16.gguf");
/** The folder that `embedder` was converted from. */
export const embedderSource = inFolder("all-MiniLM-L6-v2");

/** The answer of reference.py: `ids` of texts, `prompts` of conversations. */
export const reference = <T>(what: "ids" | "prompts", request: object): Promise<T> => ask("reference", [what], request);

/** Embeddings of texts by the model of `embedderSource`. */
export const embeddings = (texts: readonly string[]): Promise<number[][]> =>
  ask("embeddings", [], { model: embedderSource, texts });

/** The answer of a script beside this file. */
async function ask<T>(name: string, args: readonly string[], request: object): Promise<T> {
  const child = spawn(path.join(folder, "python", "bin", "python"), [scriptOf(name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [answer] = await Promise.all([
    text(child.stdout),
    once(child, "close").then(([code]) => {
      if (code !== 0) throw new Error(`${name}.py ended with ${String(code)}`);
    }),
    child.stdin.end(JSON.stringify(request)),
  ]);
  return JSON.parse(answer) as T;
}
