// `npm run bench`: measures everything that the project claims about speed on this machine, and prints the table of
// targets. Must not: compare figures of different runs.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runContender, runForJson } from "../dist/bench/measure/child.js";
import { decodeResults } from "../dist/bench/measure/decode-results.js";
import { machine, versions } from "../dist/bench/measure/machine.js";
import { modelLabel } from "../dist/bench/measure/models.js";
import { startProgress } from "../dist/bench/text/progress.js";
import { turnCount, turnLabel } from "../dist/bench/measure/rounds.js";
import { bundledModel } from "../dist/index.js";
import { microRows, runMicro } from "./micro.mjs";
import { measureModel } from "./run/decode.mjs";
import * as lasting from "./run/lasting.mjs";
import { llamaNodeVersion } from "./run/llama-node.mjs";
import { prepareModel } from "./run/models.mjs";
import { print, save } from "./run/output.mjs";
import { measurePairs } from "./run/paired.mjs";
import { allRows, modelNames, parts, planModels, realModels } from "./run/plan.mjs";
import { measurePrompts } from "./run/prompt-speed.mjs";
import { soak } from "./run/soak.mjs";
import { measureImports } from "./run/start.mjs";
import { targetRows } from "./run/targets.mjs";
import { warningsOf } from "./run/warnings.mjs";

const help = `node bench/run.mjs [options], after: node scripts/build/addon.mjs --bench && npm run build:ts
  --rows P1,P9     measure only what these targets need (all)
  --models A,B     some of ${modelNames.join(", ")} (all but 8b, and not the two with real weights; all synthetic ones on a GPU)
  --tokens N       a measurement writes at most so many (by model)
  --threads N      (2, or as many cores as there are)
  --gpu BACKEND    cuda or vulkan: the GPU computes (off)
  --module F       the GPU backend's library, in place of the packaged one
  --with NAME=V    one more version for the head of the results, as CUDA=13.0; as often as needed
  --quick          two rounds and a short soak, to see that all runs
  --json F         results there; those of a whole run go to bench/results/<day>-<machine>.json
  --html F         the page there, not beside it
  --strict         exit code 1 when a target is missed
llama-server takes part if node scripts/build/llama-server.mjs has built it.
It takes about 35 minutes on two cores. Leave the machine alone meanwhile.
`;

const cacheScript = fileURLToPath(new URL("run/cache-process.mjs", import.meta.url));
/** The progress weights of parts that are not measured in rounds. */
const weights = {
  pairs: 40,
  micro: 25,
  cache: 3,
  soak: 30,
  start: 3,
  flat: 8,
  prompts: 90,
  fair: 40,
  "first batch": 6,
  speculation: 25,
  swaps: 50,
  kinds: 4,
  burst: 18,
  "agent loop": 60,
  isolation: 240,
  remote: 8,
  serving: 90,
  connections: 15,
  "long turns": 60,
};

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    rows: { type: "string" },
    models: { type: "string" },
    tokens: { type: "string" },
    threads: { type: "string" },
    gpu: { type: "string", default: "off" },
    module: { type: "string" },
    with: { type: "string", multiple: true, default: [] },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    html: { type: "string" },
    strict: { type: "boolean", default: false },
  },
});

function checkedOptions(signal) {
  const { gpu, module, quick } = values;
  const threads = countOf("threads") ?? 2;
  const most = countOf("tokens");
  if (!["off", "cuda", "vulkan"].includes(gpu)) throw new TypeError(`--gpu takes off, cuda or vulkan, got ${gpu}`);
  if (module !== undefined && gpu === "off") throw new TypeError("--module is a GPU's: say which with --gpu");
  // Our contenders are processes that load the module which this names.
  if (module !== undefined) process.env.LLAMA_HOOKS_GPU_MODULE = path.resolve(module);
  const rows = listOf("rows", allRows);
  const names = listOf("models", modelNames);
  const others = Object.fromEntries(values.with.map((pair) => pair.split("=", 2)));
  return { rows, names, most, threads, gpu: gpu === "off" ? false : gpu, module, others, quick, signal };
}

function countOf(name) {
  if (values[name] === undefined) return undefined;
  const count = Number(values[name]);
  if (!Number.isInteger(count) || count < 1) throw new TypeError(`--${name} must be 1 or more, got ${values[name]}`);
  return count;
}

function listOf(name, known) {
  const items = values[name]?.split(",");
  const wrong = items?.find((item) => !known.includes(item));
  if (wrong !== undefined)
    throw new TypeError(`--${name} takes some of ${known.join(", ")}, got ${JSON.stringify(wrong)}`);
  return items;
}

function isWanted(part, rows) {
  return rows === undefined || parts[part].some((row) => rows.includes(row));
}

async function main() {
  if (values.help) return console.log(help);
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stop.abort(new Error("interrupted")));
  const options = checkedOptions(stop.signal);
  try {
    const results = await measure(options);
    print(results);
    if (values.quick) console.log("\nA quick run: too few rounds to go by.");
    const files = await save(results, values);
    if (files.length > 0) console.log(`\nwritten: ${files.join(", ")}`);
    if (values.strict && results.rows.some(({ pass }) => pass === false)) process.exitCode = 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

async function measure(options) {
  const { rows, signal } = options;
  const plans = isWanted("decode", rows) ? planModels(options).filter(({ contenders }) => contenders.length > 0) : [];
  const others = Object.keys(weights).filter((part) => isWanted(part, rows));
  const steps =
    plans.reduce((sum, plan) => sum + turnCount(plan.contenders, plan.rounds), 0) +
    others.reduce((sum, part) => sum + weights[part], 0);
  const progress = startProgress("benchmarks", steps, { lines: true });
  try {
    const found = await measureParts(plans, others, { ...options, progress });
    progress.end("measured", true);
    return resultsOf(found, options);
  } catch (error) {
    progress.end(signal.aborted ? "interrupted" : "failed", false);
    throw error;
  }
}

/** First the models, from small to large, with each contender; then the parts with their own measurement. */
async function measureParts(plans, others, options) {
  const { progress, signal } = options;
  const models = [];
  for (const plan of plans) {
    progress.say(plan.name, "making the model");
    const model = await prepareModel(plan, options);
    models.push({ plan, ...model, ...(await measureModel(plan, model, options)) });
  }
  const failures = {};
  const attempt = async (part, detail, work) => {
    if (!others.includes(part)) return undefined;
    progress.say(part, detail);
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      for (const row of parts[part]) failures[row] = [failures[row], error.message].filter(Boolean).join("; ");
      return undefined;
    } finally {
      progress.advance(weights[part]);
    }
  };
  const { gpu, threads } = options;
  const lastingPart = (part, detail, measure) => attempt(part, detail, () => measure(options));
  const cacheArgs = [cacheScript, bundledModel, JSON.stringify({ gpu, threads })];
  return {
    models,
    failures,
    paired: await lastingPart("pairs", "with hooks and without in turn", measurePairs),
    start: await attempt("start", "importing the package", () => measureImports(7, signal)),
    cache: await attempt("cache", "turns and shared prompts", () => runForJson(process.execPath, cacheArgs, signal)),
    micro: await attempt("micro", "dispatch and round trips", () => runMicro()),
    soak: await attempt("soak", "100,000 tokens, 1,000,000 calls", () => soak(options)),
    flat: await lastingPart("flat", "ten generations", lasting.flat),
    prompts: await lastingPart("prompts", "reading", measurePrompts),
    fair: await lastingPart("fair", "one reads, one writes", lasting.fair),
    firstBatch: await lastingPart("first batch", "templates and tools", lasting.firstBatch),
    speculation: await lastingPart("speculation", "copied and free text", lasting.speculation),
    swaps: await lastingPart("swaps", "more conversations than sequences", lasting.swaps),
    kinds: await lastingPart("kinds", "hybrid and windowed models", lasting.kinds),
    burst: await lastingPart("burst", "1,000 requests", lasting.burst),
    agentLoop: await lastingPart("agent loop", "runs, and the same calls by hand", lasting.agentLoop),
    isolation: await lastingPart("isolation", "a process of its own, and this one", lasting.isolation),
    remote: await lastingPart("remote", "a remote model, and its provider alone", lasting.remote),
    serving: await lastingPart("serving", "32 streams over HTTP, and awaited", lasting.serving),
    connections: await lastingPart("connections", "10,000 idle connections", lasting.idleConnections),
    longTurns: await lastingPart("long turns", "conversations of 10 to 800 messages", lasting.longTurns),
  };
}

async function resultsOf({ models, start, micro, ...rest }, { rows: wanted, threads, gpu, others }) {
  const description = models[0]?.description ?? (await describeBundled(gpu, threads));
  const measured = new Map(models.map((model) => [model.name, model.measured]));
  const rows = targetRows({ ...rest, decode: measured, imports: start, micro: micro && microRows(micro) }, wanted);
  const decode = models.flatMap((model) => decodeResults(model.name, model.measured));
  return {
    version: 1,
    date: new Date().toISOString(),
    machine: machine(description.system.devices, gpu !== false),
    versions: { ...versions(description.system, ["node-llama-cpp"]), ...llamaNodeVersion(), ...others },
    settings: { threads, gpu: gpu === false ? "off" : gpu },
    models: models.map(({ plan, name, description: { info, promptTokens } }) => ({
      name,
      label: modelLabel(name, info),
      synthetic: !(name in realModels),
      bytes: info.fileBytes,
      promptTokens,
      tokens: plan.tokens,
      rounds: plan.rounds,
    })),
    decode,
    skipped: [
      ...models.flatMap(({ name, skipped }) =>
        skipped.map(({ contender, reason }) => ({ model: name, contender: turnLabel(contender), reason })),
      ),
      ...(micro?.problems ?? []).map((reason) => ({ model: "none", contender: "micro-benchmarks", reason })),
    ],
    micro: micro?.micro ?? [],
    instructions: micro?.instructions ?? [],
    rows,
    paired: rest.paired ?? [],
    warnings: warningsOf(rows, decode, rest.failures),
  };
}

async function describeBundled(gpu, threads) {
  return runContender("describe", { gpu, threads, promptTokens: 48 }, new AbortController().signal);
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
