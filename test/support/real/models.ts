// Real models and their references (scripts/test/real/models.mjs), for test/real.
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

/** SmolLM2 with weights of 16 bits, which are not multiplied by activations of 8 bits; and its folder for transformers. */
export const smollm16 = inFolder("SmolLM2-135M-Instruct.F16.gguf");
/** Gemma with weights of 16 bits, which are not repacked: they round alike however a prompt is cut. */
export const gemma16 = inFolder("gemma-3-270m.F16.gguf");
const smollm16Folder = inFolder("SmolLM2-135M-Instruct");

export const embedder = inFolder("all-MiniLM-L6-v2.f16.gguf");
/** The folder that `embedder` was converted from. */
export const embedderSource = inFolder("all-MiniLM-L6-v2");

/** The answer of reference.py: `ids` of texts, `prompts` of conversations, `renders` of templates. */
export const reference = <T>(what: "ids" | "prompts" | "renders", request: object): Promise<T> =>
  ask("reference", [what], request);

/** Embeddings of texts by the model of `embedderSource`. */
export const embeddings = (texts: readonly string[]): Promise<number[][]> =>
  ask("embeddings", [], { model: embedderSource, texts });

/** A lesson: the adapter learns to write the last `answer` tokens. It acts from `invocation` on, or everywhere. */
export interface Lesson {
  readonly ids: readonly number[];
  readonly answer: number;
  readonly invocation?: readonly number[];
}
/** Trains adapters for `smollm16`, by name; each becomes a folder for peft and a GGUF file. Returns their losses. */
export const trainAdapters = (
  into: string,
  adapters: Readonly<Record<string, Lesson>>,
): Promise<Record<string, number>> => ask("adapters", ["train"], { model: smollm16Folder, folder: into, adapters });

/** A text for `smollm16` with adapters; `start`: the place of the first token on which one acts. */
export interface AdaptedText {
  readonly ids: readonly number[];
  /** The first token behind which log probabilities are wanted. */
  readonly since: number;
  readonly adapters: readonly { readonly folder: string; readonly scale: number; readonly start?: number }[];
}
/** The likeliest tokens, with their log probabilities, behind each token of each text from `since` on. */
export const adaptedLogprobs = (runs: readonly AdaptedText[]): Promise<[number, number][][][]> =>
  ask("adapters", ["compute"], { model: smollm16Folder, runs });

/** The answer of a script beside this file. */
async function ask<T>(name: string, args: readonly string[], request: object): Promise<T> {
  const child = spawn(path.join(folder, "python", "bin", "python"), [scriptOf(name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, OPENBLAS_NUM_THREADS: "1" }, // its threads wait for each other, busily, beside other tests
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
