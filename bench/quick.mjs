// The quick comparison: decode speed of the plain loop, the engine with and without a hook, and node-llama-cpp, on the CPU.
// Must not: compare across runs. Contenders take turns, each in a fresh process, and ratios are taken within a round.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { contenderNames } from "./contender.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const help = `node bench/quick.mjs [options]
  --model F        a GGUF file; without it a synthetic one is made in the system's folder for temporary files
  --shape NAME     its shape: tiny, 0.5b (default), 1.1b
  --vocabulary F   a GGUF file to take its vocabulary from
  --plain F        the plain loop's program (bench/native)
  --libraries DIR  llama.cpp's libraries for the plain loop; default: those of node-llama-cpp
  --tokens N       tokens to decode in each measurement (128)
  --threads N      (2)
  --rounds N       (5)
  --only A,B       some of: plain, ${contenderNames.join(", ")}
  --json F         write the results there
`;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean" },
    model: { type: "string" },
    shape: { type: "string", default: "0.5b" },
    vocabulary: { type: "string" },
    plain: { type: "string" },
    libraries: { type: "string" },
    tokens: { type: "string", default: "128" },
    threads: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    only: { type: "string" },
    json: { type: "string" },
  },
});

const prompt =
  "A plain description of the weather on the coast, the wind, the light and the sea, hour by hour. ".repeat(3);
const promptTokens = 64;

async function main() {
  if (options.help) return console.log(help);
  const rounds = count("rounds");
  const limits = { tokens: count("tokens"), threads: count("threads"), contextSize: 2048 };
  const job = { model: options.model ?? (await syntheticModel(options.shape)), ...limits, prompt };
  const names = options.only?.split(",") ?? ["plain", ...contenderNames];
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  const skipped = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      if (skipped[name]) continue;
      try {
        runs[name].push(await measure(name, job));
      } catch (error) {
        skipped[name] = error.message;
      }
    }
  }
  const results = names.filter((name) => !skipped[name]).map((name) => summary(name, runs));
  print(results, skipped, job);
  if (options.json) {
    await writeFile(options.json, `${JSON.stringify({ machine: machine(), job, results, skipped, runs }, null, 2)}\n`);
  }
}

function count(name) {
  const value = Number(options[name]);
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(`--${name} must be a positive integer, got "${options[name]}"`);
  return value;
}

async function syntheticModel(shape) {
  const { writeSyntheticModel } = await import("../dist/testing/index.js");
  const quantization = shape === "tiny" ? "Q8_0" : "Q4_0";
  const folder = path.join(os.tmpdir(), "llama-hooks-bench");
  const file = path.join(folder, `${shape}-${quantization}${options.vocabulary ? "-vocabulary" : ""}.gguf`);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  await writeSyntheticModel(file, shape, {
    quantization,
    ...(options.vocabulary === undefined ? {} : { vocabularyFrom: options.vocabulary }),
  });
  return file;
}

async function measure(name, job) {
  if (name !== "plain")
    return run(process.execPath, [path.join(root, "bench", "contender.mjs"), name, JSON.stringify(job)]);
  if (!options.plain) throw new Error("no plain loop: build bench/native and name the program with --plain");
  const flags = {
    model: job.model,
    libraries: options.libraries ?? (await librariesFolder()),
    "prompt-tokens": promptTokens,
  };
  Object.assign(flags, { tokens: job.tokens, threads: job.threads, context: job.contextSize });
  return run(
    options.plain,
    Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
  );
}

async function librariesFolder() {
  const platform = { linux: "linux", win32: "win", darwin: "mac" }[process.platform];
  const metal = process.platform === "darwin" && process.arch === "arm64" ? "-metal" : "";
  const variant = `${platform}-${process.arch}${metal}`;
  return path.join((await import(`@node-llama-cpp/${variant}`)).getBinsDir().binsDir, variant);
}

/** Runs a program that prints one line of JSON last. */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(JSON.parse(out.trim().split("\n").at(-1)));
      const reason = err.split("\n").find((line) => /error/i.test(line)) ?? err.trim().split("\n").at(-1);
      reject(new Error(`exit ${code ?? signal}: ${reason}`));
    });
  });
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function summary(name, runs) {
  const speeds = runs[name].map(({ decodeTps }) => decodeTps);
  const against = (other) => {
    const ratios = speeds.map((speed, round) => speed / runs[other]?.[round]?.decodeTps).filter(Number.isFinite);
    return ratios.length === 0 ? null : median(ratios);
  };
  return {
    name,
    decodeTps: median(speeds),
    lowest: Math.min(...speeds),
    highest: Math.max(...speeds),
    toPlain: against("plain"),
    toNodeLlamaCpp: against("node-llama-cpp"),
    loadMs: median(runs[name].map(({ loadMs }) => loadMs)),
    peakRssMib: median(runs[name].map(({ peakRssKib }) => peakRssKib)) / 1024,
  };
}

function machine() {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model ?? "unknown",
    cores: cpus.length,
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
  };
}

function ratio(value) {
  return value === null ? "-" : value.toFixed(3);
}

function print(results, skipped, { model, tokens, threads }) {
  const { cpu, cores, platform, node } = machine();
  const source = options.model ? path.basename(model) : `synthetic ${path.basename(model)}`;
  console.log(
    `${source}, ${tokens} tokens, ${threads} threads, ${count("rounds")} rounds; ${cpu}, ${cores} cores, ${platform}, Node ${node}`,
  );
  console.table(
    Object.fromEntries(
      results.map(({ name, ...result }) => [
        name,
        {
          "tokens/s": result.decodeTps.toFixed(1),
          spread: `${result.lowest.toFixed(1)} to ${result.highest.toFixed(1)}`,
          "to plain": ratio(result.toPlain),
          "to node-llama-cpp": ratio(result.toNodeLlamaCpp),
          "load ms": result.loadMs.toFixed(0),
          "peak MiB": result.peakRssMib.toFixed(0),
        },
      ]),
    ),
  );
  for (const [name, reason] of Object.entries(skipped)) console.log(`${name} skipped: ${reason}`);
}

try {
  await main();
} catch (error) {
  console.error(`quick: ${error.message}`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
