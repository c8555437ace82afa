// Many generations with every point hooked from TypeScript, and from C if a library is given: does the process grow,
// does a block of the allocator stay?
// Must not: measure speed. Exit code 1: it grew, or a block stayed.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEngine, pointNames, POINTS } from "../dist/index.js";
import { nativeAddon } from "../dist/native/addon.js";
import { writeScriptModel } from "../dist/testing/index.js";

const help = `node bench/soak.mjs [options]
  --generations N  (10000)
  --tokens N       tokens of each generation (4)
  --growth P       percent by which the last quarter's memory may differ from the second's (2)
  --library F      a library with the C hook bench_noop, which is then added to streamToken as well
  --native N       so many times (6, which makes ten hooks on each token)
  --json           print one line of JSON instead of text
`;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean" },
    generations: { type: "string", default: "10000" },
    tokens: { type: "string", default: "4" },
    growth: { type: "string", default: "2" },
    library: { type: "string" },
    native: { type: "string", default: "6" },
    json: { type: "boolean" },
  },
});

const samplesPerQuarter = 25;

/** Collects garbage, so that what is sampled is what is kept. */
function collector() {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

/** C hooks on each token, among those of TypeScript. */
function addNativeHooks(engine, library, count) {
  for (let index = 0; index < count; index++) {
    engine.hooks.addNative({ library, symbol: "bench_noop", point: "streamToken", priority: index % 2 === 0 ? -1 : 1 });
  }
}

/** At every point a handler that waits, one that answers at once, and an observer; one that fails each time. */
function addHooks(engine, counts) {
  for (const point of pointNames) {
    const { kind, textField } = POINTS[point];
    const count = () => void (counts[point] = (counts[point] ?? 0) + 1);
    engine.hooks.on(point, count);
    engine.hooks.on(point, async () => void (await undefined));
    engine.hooks.on(point, ({ signal }) => void signal.aborted, { observe: true });
    if (kind === "pre") engine.hooks.guard(point, () => undefined);
    if (textField !== null) engine.hooks.on(point, (event) => ({ [textField]: `${event[textField]} ` }));
  }
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, seed: 7 } }));
  engine.hooks.on("preGenerate", () => {
    throw new Error("fails each time");
  });
}

async function follow(engine, counts) {
  for await (const { type } of engine.trace()) counts[type] = (counts[type] ?? 0) + 1;
}

async function generate(engine, index, maxTokens) {
  const generation = engine.generate(`question ${index % 8}`, { maxTokens, temperature: 0 });
  if (index % 2 === 0) for await (const _ of generation);
  const { usage } = await generation;
  if (usage.completionTokens !== maxTokens) throw new Error(`${usage.completionTokens} tokens, wanted ${maxTokens}`);
}

async function soak(model, generations, tokens) {
  const gc = collector();
  const counts = {};
  const samples = [];
  const engine = await createEngine({ model, gpu: false, threads: 1 });
  addHooks(engine, counts);
  if (options.library !== undefined) addNativeHooks(engine, path.resolve(options.library), count("native"));
  const following = follow(engine, counts);
  const every = Math.max(1, Math.floor(generations / 4 / samplesPerQuarter));
  for (let index = 0; index < generations; index++) {
    await generate(engine, index, tokens);
    if ((index + 1) % every !== 0) continue;
    gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    samples.push({ rss, heapUsed, external });
  }
  const calls = engine.hooks.stats().reduce((sum, hook) => sum + hook.calls, 0);
  await engine.close();
  await following;
  return { samples, counts, calls, balance: nativeAddon().allocBalance() };
}

function quarter(samples, index) {
  const size = samples.length / 4;
  const part = samples.slice(Math.floor(index * size), Math.floor((index + 1) * size));
  const mean = (key) => part.reduce((sum, sample) => sum + sample[key], 0) / part.length;
  return { rss: mean("rss"), heapUsed: mean("heapUsed"), external: mean("external") };
}

function print({ generations, tokens, quarters, growth, balance, counts, calls, seconds }) {
  const mib = (bytes) => (bytes / 1024 / 1024).toFixed(2);
  console.log(`${generations} generations of ${tokens} tokens, every point hooked, ${seconds.toFixed(0)} s`);
  console.table(
    quarters.map(({ rss, heapUsed, external }, index) => ({
      quarter: index + 1,
      "RSS MiB": mib(rss),
      "JavaScript heap MiB": mib(heapUsed),
      "external MiB": mib(external),
    })),
  );
  console.log(`${calls} calls of hooks; events by point: ${JSON.stringify(counts)}`);
  console.log(`the last quarter differs from the second by ${growth.toFixed(2)} % (limit ${options.growth} %)`);
  console.log(`blocks of the allocator after close: ${balance}`);
}

function count(name) {
  const value = Number(options[name]);
  if (!(value > 0)) throw new TypeError(`--${name} must be a positive number, got "${options[name]}"`);
  return value;
}

async function main() {
  if (options.help) return console.log(help);
  const [generations, tokens, limit] = [count("generations"), count("tokens"), count("growth")];
  const folder = await mkdtemp(path.join(os.tmpdir(), "llama-hooks-soak-"));
  try {
    const model = path.join(folder, "script.gguf");
    await writeScriptModel(model, { replies: [{ text: "on and on ", endless: true }] });
    const begin = performance.now();
    const { samples, counts, calls, balance } = await soak(model, generations, tokens);
    const quarters = [0, 1, 2, 3].map((index) => quarter(samples, index));
    const growth = (quarters[3].rss / quarters[1].rss - 1) * 100;
    const seconds = (performance.now() - begin) / 1000;
    const result = { generations, tokens, quarters, growth, balance, counts, calls, seconds };
    if (options.json) console.log(JSON.stringify(result));
    else print(result);
    if (Math.abs(growth) > limit || balance !== 0) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(`soak: ${error.message}`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
