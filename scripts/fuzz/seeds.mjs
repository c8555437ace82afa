// First inputs that are not kept in the repository: templates of llama.cpp, model files, and the beginning of a
// description for each architecture.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir, projectDir } from "../build/llama-paths.mjs";
import { fuzzProgram } from "./build.mjs";

const llama = join(buildDir, "llama.cpp");
const recipes = join(projectDir, "native", "fuzz", "corpus", "gguf");

/** Bytes: llama.cpp takes seconds for a long one. */
const longestTemplate = 3000;

function copyTemplates(folder) {
  const templates = join(llama, "models", "templates");
  if (!existsSync(templates)) return;
  for (const name of readdirSync(templates)) {
    const file = join(templates, name);
    if (name.endsWith(".jinja") && statSync(file).size <= longestTemplate) cpSync(file, join(folder, name));
  }
}

/** The names of llama.cpp's architectures, from its table. */
function architectures() {
  const table = join(llama, "src", "llama-arch.cpp");
  if (!existsSync(table)) return [];
  return [...readFileSync(table, "utf8").matchAll(/\{ LLM_ARCH_\w+, +"([\w.-]+)"/g)].map(([, name]) => name);
}

/** Those of a short run: an input takes up to a second until it is completed. */
const few = ["llama", "qwen3", "gemma3", "bert", "eurobert", "mamba", "granitemoe"];

/** A description that the target completes: the numbers of a tiny model, and a vocabulary. */
function writeArchitectures(folder, short) {
  const { kv } = JSON.parse(readFileSync(join(recipes, "qwen2.json"), "utf8"));
  const vocabulary = kv.filter(([key]) => key.startsWith("tokenizer."));
  vocabulary.push(["tokenizer.ggml.token_type_count", "u32", 2]);
  for (const name of architectures()) {
    if (short && !few.includes(name)) continue;
    const own = [
      ["block_count", 2],
      ["context_length", 64],
      ["embedding_length", 16],
      ["feed_forward_length", 32],
      ["attention.head_count", 2],
      ["attention.head_count_kv", 2],
    ].map(([key, value]) => [`${name}.${key}`, "u32", value]);
    const description = {
      complete: true,
      kv: [["general.architecture", "str", name], ...own, ...vocabulary],
      tensors: [],
    };
    writeFileSync(join(folder, `architecture-${name}.json`), JSON.stringify(description));
  }
}

/** The files that the descriptions of the target gguf describe. */
function writeFiles(folder) {
  for (const name of readdirSync(recipes)) {
    execFileSync(fuzzProgram, ["--write-gguf", join(recipes, name), join(folder, `${name}.gguf`)]);
  }
}

/** `short`: for a run of less than a minute. */
export function writeSeeds(target, folder, short) {
  if (target === "template") copyTemplates(folder);
  if (target === "gguf") writeArchitectures(folder, short);
  if (target === "gguf-header") writeFiles(folder);
}
