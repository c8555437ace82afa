// The way of a token event from a run thread to a TypeScript hook and back, and the cost of observing: prints
// MicroResults as one line of JSON. A separate process, because it loads the benchmark addon instead of the published
// one. Must not: take another way than a generation's tokens do, except for the decoding.
//
// node bench/micro/round-trip.mjs [--release FOLDER]
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, percentile } from "../../dist/bench/results/statistics.js";
import { Engine } from "../../dist/engine.js";
import { findAddon } from "../../dist/native/find-addon.js";
import { writeScriptModel } from "../../dist/testing/index.js";
import { builtFile, releaseDir } from "./programs.mjs";

const { values } = parseArgs({ options: { release: { type: "string", default: releaseDir } } });

const warmUpCalls = 1000;
/** 256: the shortest token event has 254. */
const contextBytes = [256, 1024, 4096, 65536];

/** The answers differ from the text: an equal one would count as no answer, and be cheaper. */
const handlers = {
  silent: () => undefined,
  answering: ({ text }) => ({ text: `${text}.` }),
  answeringLater: async ({ text }) => ({ text: `${text}.` }),
};

/** An engine of the real facade with the addon that can fire hooks. */
async function openEngine(model) {
  const addonFile = builtFile("bench_addon.node", values.release);
  const addon = createRequire(import.meta.url)(addonFile);
  const options = JSON.stringify({ libraries: findAddon().libraries, gpu_module: null, gpu: false });
  const engine = new Engine(addon, options, { downloading: { allowHttp: false }, stores: undefined, leaseMs: 30_000 });
  await engine.models.load("default", { path: model, threads: 1, contextSize: 512 });
  engine.hooks.addNative({ library: addonFile });
  return engine;
}

/** Nanoseconds of each of `calls` token events, fired on a run thread. */
async function fire(engine, { calls, bytes = contextBytes[0], gapUs = 0 }) {
  const job = { fire: { calls, context_bytes: bytes, gap_us: gapUs } };
  const { text } = await engine.generate(JSON.stringify(job), { raw: true });
  return JSON.parse(text);
}

const figuresOf = (durations) => ({ median: median(durations), p99: percentile(durations, 0.99) });

async function roundTrip(engine, handler, job) {
  const hook = engine.hooks.on("streamToken", handler);
  await fire(engine, { calls: Math.min(warmUpCalls, job.calls), bytes: job.bytes });
  const durations = await fire(engine, job);
  hook.dispose();
  return figuresOf(durations);
}

/** 5000 if that takes only a few seconds. */
const callsFor = (bytes, gapUs) => (bytes > 10_000 || (gapUs > 0 && bytes > contextBytes[0]) ? 1000 : 5000);

/** The curve of one handler over the size of the context; `gapUs`: the interval of calls. */
async function curve(engine, group, handler, gapUs) {
  const results = [];
  for (const bytes of contextBytes) {
    const figures = await roundTrip(engine, handler, { calls: callsFor(bytes, gapUs), bytes, gapUs });
    results.push({ group, label: `${bytes} bytes`, x: bytes, xLabel: "bytes", ...figures });
  }
  return results;
}

/** Back to back, and as far apart as a model's tokens: then both threads have gone to sleep in between. */
async function roundTrips(engine) {
  const { silent, answering, answeringLater } = handlers;
  await roundTrip(engine, answering, { calls: 5000 }); // V8 compiles what is hot
  const results = [
    ...(await curve(engine, "round trip", silent, 0)),
    ...(await curve(engine, "round trip, text answered", answering, 0)),
    ...(await curve(engine, "round trip, text answered, 1 ms apart", answering, 1000)),
  ];
  const promised = { group: "round trip by promise, text answered", x: null, xLabel: null };
  const atOnce = await roundTrip(engine, answeringLater, { calls: 5000 });
  const apart = await roundTrip(engine, answeringLater, { calls: 1000, gapUs: 1000 });
  return [
    ...results,
    { ...promised, label: `${contextBytes[0]} bytes`, ...atOnce },
    { ...promised, label: `${contextBytes[0]} bytes, 1 ms apart`, ...apart },
  ];
}

/** Counts the events of an observer, and the wake-ups of JavaScript: microtasks run once per wake-up. */
class Watch {
  events = 0;
  wakes = 0;
  #armed = false;
  #first = 0;
  #last = 0;
  #waiting = { count: 0, done: () => {} };

  see = () => {
    if (this.events++ === 0) this.#first = performance.now();
    if (!this.#armed) {
      this.#armed = true;
      queueMicrotask(() => {
        this.#armed = false;
        this.wakes++;
      });
    }
    if (this.events < this.#waiting.count) return;
    this.#last = performance.now();
    this.#waiting.done();
  };

  /** Settles when `count` further events have arrived. */
  next(count) {
    this.events = 0;
    this.wakes = 0;
    return new Promise((done) => {
      this.#waiting = { count, done };
    });
  }

  /** The time from the first to the last event, per event. */
  nanosecondsAnEvent() {
    return ((this.#last - this.#first) * 1e6) / Math.max(1, this.events - 1);
  }
}

async function observed(engine) {
  const watch = new Watch();
  const hook = engine.hooks.on("streamToken", watch.see, { observe: true });
  const results = [];
  for (const burst of [1, 10, 100, 1000]) {
    const rounds = Math.max(20, 200 / burst);
    const engineSide = [];
    const jsSide = [];
    let wakes = 0;
    for (let round = -2; round < rounds; round++) {
      const seen = watch.next(burst);
      const durations = await fire(engine, { calls: burst });
      await seen;
      if (round < 0) continue; // warms up
      engineSide.push(...durations);
      jsSide.push(watch.nanosecondsAnEvent());
      wakes += watch.wakes;
    }
    const x = { x: burst, xLabel: "events in a burst" };
    const label = `${burst} at once, ${(wakes / rounds / burst).toFixed(3)} wake-ups an event`;
    results.push({ group: "observed event, engine's side", label, ...x, ...figuresOf(engineSide) });
    if (burst === 1) continue; // nothing between the first event and the last
    results.push({ group: "observed event, JavaScript's side", label, ...x, median: median(jsSide), p99: null });
  }
  hook.dispose();
  return results;
}

/**
 * A token whose `when` matches no handler, compared with no hook, an observer and an awaited hook. In turn, so that
 * noise affects all.
 */
async function matchedAway(engine) {
  const calls = 1000;
  const kinds = [
    { label: "no hook" },
    { label: "by what meta says", options: { when: { tier: "nobody" } }, never: true },
    { label: "by the text", options: { when: { text: /^nothing$/ } }, never: true },
    { label: "observed", options: { observe: true } },
    { label: "awaited", options: {} },
  ].map((kind) => ({ ...kind, durations: [] }));
  for (let round = -1; round < 9; round++) {
    for (const { label, options, never, durations } of kinds) {
      const watch = new Watch();
      const hook = options && engine.hooks.on("streamToken", watch.see, options);
      const seen = watch.next(calls);
      const found = await fire(engine, { calls });
      if (options && !never) await seen;
      hook?.dispose();
      if (never && watch.events > 0) throw new Error(`${label}: the handler was asked ${watch.events} times`);
      if (round >= 0) durations.push(...found); // the first warms up
    }
  }
  const single = { group: "matched away", x: null, xLabel: null };
  return kinds.map(({ label, durations }) => ({ ...single, label, ...figuresOf(durations) }));
}

const folder = await mkdtemp(join(os.tmpdir(), "llama-hooks-micro-"));
try {
  const model = join(folder, "script.gguf");
  await writeScriptModel(model, { replies: ["Hello!"] });
  const engine = await openEngine(model);
  const results = [...(await roundTrips(engine)), ...(await observed(engine)), ...(await matchedAway(engine))];
  await engine.close();
  console.log(JSON.stringify(results));
} finally {
  await rm(folder, { recursive: true });
}
