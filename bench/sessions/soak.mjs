// Several sessions at once on one model, with tools and hooks, for as long as is wanted. Must not: print.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEngine } from "../../dist/index.js";
import { nativeAddon } from "../../dist/native/addon.js";
import { contextLength, sessionOptions, writeCrewModel } from "./crew.mjs";
import { addHooks } from "./hooks.mjs";
import { Ledger } from "./ledger.mjs";
import { between, watchProcess } from "./process-state.mjs";
import { Seat } from "./seat.mjs";

const samples = 120;
/** Observers get events in batches, after the fact. */
const settleMs = 5000;
/** Nothing that is asked for takes as long. */
const hungMs = 30_000;

/**
 * `violations`: what did not hold, in words; `warm` and `end`: medians of what the process held after a quarter of the
 * time, and in its last one.
 */
export async function soakSessions({ seconds, sessions, parallel, seed, isolation = "none" }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "llama-hooks-sessions-"));
  const ledger = new Ledger();
  const unhandled = (reason) => ledger.violate(`nobody handled ${reason?.stack ?? reason}`);
  process.on("unhandledRejection", unhandled);
  try {
    return await soak(ledger, folder, { seconds, sessions, parallel, isolation, draw: drawer(seed) });
  } finally {
    process.off("unhandledRejection", unhandled);
    await rm(folder, { recursive: true, force: true });
  }
}

async function soak(ledger, folder, { seconds, sessions, parallel, isolation, draw }) {
  const model = path.join(folder, "crew.gguf");
  await writeCrewModel(model);
  const computing = { gpu: false, threads: 1, parallel, contextSize: contextLength };
  const engine = await createEngine({ model, isolation, ...computing });
  const [events, ran] = [{}, {}];
  ledger.watch(engine);
  addHooks(engine, draw, events);
  const trace = follow(engine);
  const options = sessionOptions(ran);
  const seats = Array.from(
    { length: sessions },
    (_, index) => new Seat({ engine, options, ledger, draw, folder, name: `session-${index}` }),
  );
  const begin = performance.now();
  const over = () => ledger.violated > 0 || performance.now() - begin > seconds * 1000;
  const stopWatching = watchProcess(seconds, samples);
  const failed = (error) => ledger.violate(`a run or a session failed: ${error?.stack ?? error}`);
  const working = Promise.all(seats.map((seat) => seat.work(over).catch(failed)));
  const late = new AbortController();
  const hung = sleep(seconds * 1000 + hungMs, "hung", late);
  if ((await Promise.race([working, hung])) === "hung") ledger.violate("a run, or a close, does not end");
  late.abort();
  hung.catch(() => undefined);
  const seen = stopWatching();
  for (let waited = 0; !ledger.settled && waited < settleMs; waited += 20) await sleep(20);
  const calls = engine.hooks.stats().reduce((sum, hook) => sum + hook.calls, 0);
  await engine.close();
  const decisions = await trace;
  ledger.close();
  if (ran.forbidden !== undefined) ledger.violate(`the tool that a guard refuses has run ${ran.forbidden} times`);
  const balance = nativeAddon().allocBalance();
  if (balance !== 0) ledger.violate(`${balance} blocks of the allocator were not given back`);
  const { violations, violated, totals, finished, resultKinds, refused } = ledger;
  return {
    seconds: (performance.now() - begin) / 1000,
    sessions,
    parallel,
    violations,
    violated,
    totals,
    finished,
    resultKinds,
    refused,
    events,
    ran,
    calls,
    decisions,
    warm: between(seen, 0.25, 0.5),
    end: between(seen, 0.75, 1),
  };
}

async function follow(engine) {
  let decisions = 0;
  for await (const { type } of engine.trace()) if (type === "decision") decisions++;
  return decisions;
}

/** The same numbers for the same seed, below 1 (mulberry32). What they are used for depends on who comes first. */
function drawer(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
