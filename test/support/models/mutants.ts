// Tries damaged model files in child processes, each of which uses one file after another.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "../../fixtures/child.js";
import { writeEmbeddingModel, writeSyntheticModel } from "../../../src/testing/index.js";
import { encoders, spelling, writeEncoder } from "./encoders.js";
import { type Mutant, mutantsOf } from "./mutated-gguf.js";

const program = fileURLToPath(new URL("../../fixtures/try-models.mjs", import.meta.url));
const decoders = ["llama", "gemma3", "lfm2"] as const;
const bases = ["bert", "bert-reranker", "qwen3-embedder", "eurobert-spm", ...decoders, ...Object.keys(encoders)];
const folderSize = 200; // files on disk at a time
const hangMs = 60_000;

/** A file that ended the process or did not end, or the codes that its load and its use ended with. */
export interface Trial {
  readonly name: string;
  /** The codes, or "signal SIGABRT" and the like, or "hang". */
  readonly end: string;
  readonly stderr: string;
}

/** Every base as it is, under its name, and then every mutant of every base: all architectures that only embed, and small decoders. */
export async function allMutants(folder: string): Promise<Mutant[]> {
  await mkdir(folder, { recursive: true });
  const file = (name: string): string => path.join(folder, `${name}.gguf`);
  await writeEmbeddingModel(file("bert"));
  await writeEmbeddingModel(file("bert-reranker"), { reranks: true });
  await writeEmbeddingModel(file("qwen3-embedder"), { kind: "decoder" });
  const shape = { layers: 2, embedding: 64, heads: 2, kvHeads: 1, feedForward: 96, vocabulary: 320 };
  for (const architecture of decoders) {
    const windowed = architecture === "llama" ? {} : { fullEvery: 2, window: 16 };
    await writeSyntheticModel(file(architecture), { ...shape, ...windowed, architecture });
  }
  await writeEncoder(file("eurobert-spm"), "eurobert", spelling());
  for (const architecture of Object.keys(encoders)) await writeEncoder(file(architecture), architecture);
  const whole = await Promise.all(
    bases.map(async (base): Promise<Mutant> => {
      const bytes = await readFile(file(base));
      return { name: base, bytes: () => bytes };
    }),
  );
  return [...whole, ...(await Promise.all(bases.map((base) => mutantsOf(base, file(base))))).flat()];
}

/** Tries the mutants in order; a process that ends early is followed by another one. */
export async function tryAll(mutants: readonly Mutant[], folder: string): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (let from = 0; from < mutants.length; from += folderSize) {
    const some = mutants.slice(from, from + folderSize);
    const files = path.join(folder, `from-${from}`);
    await mkdir(files, { recursive: true });
    await Promise.all(some.map(({ bytes }, i) => writeFile(path.join(files, `${i}`), bytes())));
    for (let done = 0; done < some.length;) done += await tryOnce(some.slice(done), files, done, trials);
    await rm(files, { recursive: true });
  }
  return trials;
}

/** Returns how many it has tried. */
async function tryOnce(mutants: readonly Mutant[], files: string, first: number, trials: Trial[]): Promise<number> {
  const names = mutants.map((_, i) => `${first + i}`).join("\n");
  const child = start(process.execPath, [program, files], {}, { input: `${names}\n`, limitMs: 600_000 });
  let hung = false;
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      hung = true;
      child.process.kill("SIGKILL");
    }, hangMs);
  };
  child.process.stdout?.on("data", again);
  again();
  const { stdout, stderr, code, signal } = await child.ended;
  clearTimeout(timer);
  const ends = stdout.split("\n").filter((line) => line.startsWith("end "));
  ends.forEach((line, i) => trials.push({ name: mutants[i]?.name ?? "", end: line.slice(4), stderr: "" }));
  if (ends.length === mutants.length) return ends.length;
  const end = hung ? "hang" : signal === null ? `exit ${code}` : `signal ${signal}`;
  trials.push({ name: mutants[ends.length]?.name ?? "", end, stderr: stderr.slice(0, 2000) });
  return ends.length + 1;
}

/** Those that must not be: the process ended, or the error is a defect. */
export function faults(trials: readonly Trial[]): Trial[] {
  return trials.filter(({ end }) => /^(signal|hang|exit)|INTERNAL|undefined/.test(end));
}

/** The bases among the trials that do not work as they are: their mutants would prove nothing. */
export function useless(trials: readonly Trial[]): Trial[] {
  return trials.filter(({ name, end }) => !name.includes(": ") && !/\bok\b/.test(end));
}
