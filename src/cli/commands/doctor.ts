// `llama-hooks doctor`: reports the capabilities of this machine, and the problems that it finds.
import { availableParallelism, cpus, totalmem } from "node:os";
import { size } from "../../base/byte-size.js";
import { ownPackageJson } from "../../base/package-json.js";
import { plural } from "../../base/plural.js";
import { runtimeText } from "../../base/runtime.js";
import { wrap } from "../../base/wrap.js";
import {
  bundledModel,
  cachedModels,
  createEngine,
  type Engine,
  type Gpu,
  type GpuModuleReport,
  gpuReport,
  LlamaHooksError,
  type SystemInfo,
} from "../../index.js";
import { exitCodes } from "../process/exit.js";
import { jsonLine } from "../process/json-line.js";
import { Terminal } from "../process/terminal.js";

/** One line of the report. */
interface Finding {
  readonly about: string;
  readonly says: string;
  /** True: this is a problem. */
  readonly wrong?: boolean;
}

const indent = " ".repeat(10);

export interface DoctorOptions {
  readonly json?: boolean;
  /** The GPU to check. If the user names one, it must work. */
  readonly gpu: Gpu;
}

/** The exit code is 1 if there is a problem. */
export async function doctor({ json, gpu }: DoctorOptions): Promise<number> {
  const terminal = new Terminal();
  const findings: Finding[] = [];
  for await (const finding of examine(gpu)) {
    findings.push(finding);
    const lines = wrap(`${finding.wrong ? "WRONG: " : ""}${finding.says}`, terminal.resultColumns - indent.length);
    const text = lines.map((line, i) => (i === 0 ? finding.about.padEnd(indent.length) : indent) + line);
    if (!json) terminal.result(`${text.join("\n")}\n`);
  }
  const wrong = findings.filter((finding) => finding.wrong).length;
  if (json) terminal.result(jsonLine({ ok: wrong === 0, findings }));
  else terminal.result(wrong === 0 ? "all is well\n" : `${plural(wrong, "thing is", "things are")} wrong\n`);
  return wrong === 0 ? exitCodes.ok : exitCodes.failed;
}

async function* examine(gpu: Gpu): AsyncGenerator<Finding> {
  const { version } = ownPackageJson();
  yield { about: "version", says: `llama-hooks ${version}, ${runtimeText()}, ${platform()}` };
  const [cpu] = cpus();
  yield {
    about: "cpu",
    says: `${cpu?.model.trim() ?? "unknown"}, ${plural(availableParallelism(), "thread")} at once`,
  };
  // The memory that this process may use: a container may allow less than the machine has.
  const allowed = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  yield { about: "memory", says: `${size(Math.min(allowed, process.availableMemory()))} of ${size(allowed)} free` };
  const models = await cachedModels();
  yield { about: "cache", says: `${models.length} fetched, ${size(models.reduce((sum, one) => sum + one.size, 0))}` };
  const gpus = gpu === false ? [] : await gpuReport(); // before the engine, which does not try a broken module again
  let engine: Engine | undefined;
  try {
    engine = await createEngine({ models: {}, gpu, logLevel: "none" });
    const system = engine.systemInfo();
    yield* ofSystem(system);
    yield* ofGpus(gpus);
    yield inUse(system);
    yield await tryModel(engine);
  } catch (error) {
    yield { about: engine === undefined ? "engine" : "model", says: inWords(error), wrong: true };
  } finally {
    await engine?.close();
  }
}

function* ofSystem({ llamaCpp, abi, systemInfo }: SystemInfo): Generator<Finding> {
  yield { about: "llama.cpp", says: `${llamaCpp}, hook ABI ${abi}` };
  const features = [...systemInfo.matchAll(/(\w+) = 1\b/g)].map(([, name]) => name);
  yield { about: "uses", says: features.join(", ") || "no optional CPU features" };
}

/**
 * Reports each GPU module, tried in its own process. A module may fail without being a problem if this machine has no
 * such GPU.
 */
function* ofGpus(gpus: readonly GpuModuleReport[]): Generator<Finding> {
  for (const { backend, module, trial, problem, expected, install } of gpus) {
    const about = backend === "own" ? "gpu" : backend;
    if (install !== null) yield { about, says: `not installed: ${install}` };
    else if (trial === null || trial.state !== "works")
      yield {
        about,
        says: `${problem ?? "not tried"}`,
        wrong: expected && (module === null || trial?.state === "broken"),
      };
    else yield { about, says: `${module} works` };
    for (const { name, description, freeBytes, totalBytes } of trial?.devices ?? [])
      yield { about: "device", says: `${name}: ${description}, ${size(freeBytes)} of ${size(totalBytes)} free` };
  }
}

/** Reports the GPUs that the engine uses. */
function inUse({ devices }: SystemInfo): Finding {
  const gpus = devices.filter(({ type }) => type !== "cpu").map(({ name }) => name);
  const none = 'no GPU is in use; "auto" uses CUDA or Metal if it works, and Vulkan only if it is requested';
  return { about: "gpu", says: gpus.length > 0 ? `in use: ${gpus.join(", ")}` : none };
}

/** Checks that the bundled model generates a text on the CPU. */
async function tryModel(engine: Engine): Promise<Finding> {
  await engine.models.load("tiny", { path: bundledModel, gpuLayers: 0 });
  const { text, usage } = await engine.generate("Hello", { model: "tiny", maxTokens: 16, temperature: 0 });
  const speed = Math.round((usage.completionTokens / Math.max(usage.decodeMs, 0.001)) * 1000);
  return {
    about: "model",
    says: `the bundled model says ${JSON.stringify(text)}, ${speed} tokens/s`,
    wrong: text === "",
  };
}

function platform(): string {
  return `${process.platform}-${process.arch}`;
}

function inWords(error: unknown): string {
  if (!(error instanceof LlamaHooksError)) return String(error);
  const { code, message, cause } = error;
  return `${message} (${code}${cause instanceof Error ? `: ${cause.message}` : ""})`;
}
