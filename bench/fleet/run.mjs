// The fleet that one process can hold: `node bench/fleet/run.mjs [--quick] [--json F]`, after `npm run build`. This
// measures idle conversations, running answers, and the share of prompts that the servers know. docs/internals/scale.md
// explains the figures. Takes some four minutes on two cores.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { affinity, createEngine, remote } from "../../dist/index.js";
import { Fleet } from "./fleet.mjs";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, json: { type: "string" } } });
const size = values.quick
  ? { nodes: 100, conversations: 5000, streams: [50, 200], seconds: 4 }
  : { nodes: 1000, conversations: 100_000, streams: [100, 400, 800, 1600, 3200], seconds: 15 };

const usual = {
  nodes: size.nodes,
  router: "hash",
  promptRate: 8000,
  pace: 30,
  answer: 60,
  keeps: 200,
  latencyMs: 5,
  downShare: 0,
};

async function withFleet(options, parallel, work) {
  const fleet = new Fleet({ ...usual, ...options });
  const provider = remote(fleet, { affinity: affinity.vllmRouter, retries: 2 });
  const engine = await createEngine({
    gpu: false,
    models: { fleet: { provider, contextSize: 1_000_000, parallel } },
    maxQueued: 1_000_000,
  });
  try {
    return await work(engine, fleet);
  } finally {
    await engine.close();
    fleet.close();
  }
}

const said = "What was said before, in some words that a person or a model has written. ".repeat(6);
const history = Array.from({ length: 8 }, (_, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: said }));

function memory() {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed };
}

/** Bytes of a conversation of eight messages that waits, and microseconds to open one. */
async function idle() {
  return withFleet({}, 16, async (engine) => {
    const before = memory();
    const begin = performance.now();
    const sessions = [];
    for (let n = 0; n < size.conversations; n++) {
      sessions.push(engine.session({ history }));
      if (n % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const openUs = ((performance.now() - begin) * 1000) / sessions.length;
    const after = memory();
    return {
      conversations: sessions.length,
      bytes: (after.rss - before.rss) / sessions.length,
      heapBytes: (after.heapUsed - before.heapUsed) / sessions.length,
      openUs,
    };
  });
}

const at = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

/** So many answers at a time for some seconds: how busy the process is, and how late pieces come. */
async function running(streams, { read }) {
  return withFleet({}, streams, async (engine) => {
    const late = [];
    let pieces = 0;
    let turns = 0;
    const until = performance.now() + size.seconds * 1000;
    const talk = async () => {
      const session = engine.session({ history });
      while (performance.now() < until) {
        const run = session.run("Go on.");
        if (read) {
          for await (const event of run) {
            if (event.type !== "token") continue;
            pieces++;
            if (pieces % 37 === 0) late.push(performance.now() - Number(event.text));
          }
        }
        const { usage } = await run;
        if (!read) pieces += usage.completionTokens;
        turns++;
      }
      await session.close();
    };
    const talks = Array.from({ length: streams }, talk);
    await new Promise((resolve) => setTimeout(resolve, 2000)); // until all have begun
    const [cpu, loop, counted] = [process.cpuUsage(), performance.eventLoopUtilization(), pieces];
    const begin = performance.now();
    await new Promise((resolve) => setTimeout(resolve, (size.seconds - 3) * 1000));
    const seconds = (performance.now() - begin) / 1000;
    const used = process.cpuUsage(cpu);
    const { utilization } = performance.eventLoopUtilization(loop);
    const rate = (pieces - counted) / seconds;
    const { rss } = process.memoryUsage();
    await Promise.all(talks);
    return {
      streams,
      piecesPerSecond: Math.round(rate),
      loop: utilization,
      cores: (used.user + used.system) / 1e6 / seconds,
      cpuUsPerPiece: (used.user + used.system) / seconds / rate,
      lateMs: read ? { median: at(late, 0.5), p99: at(late, 0.99) } : undefined,
      rssMb: rss / 2 ** 20,
      turns,
    };
  });
}

/** The share of prompt tokens that a node knew, in the second and third turns. */
async function caches(router, downShare) {
  const talks = values.quick ? 200 : 2000;
  return withFleet({ router, downShare, pace: 2000, answer: 4 }, 64, async (engine, fleet) => {
    const sessions = Array.from({ length: talks }, () => engine.session({ history }));
    const ask = () => Promise.all(sessions.map((session) => session.run("Go on.")));
    await ask();
    const before = { ...fleet.seen };
    await ask();
    await ask();
    const grown = (key) => fleet.seen[key] - before[key];
    return {
      router,
      downShare,
      known: grown("cachedTokens") / grown("promptTokens"),
      attempts: fleet.seen.requests / (talks * 3),
      refused: fleet.seen.refused,
    };
  });
}

const results = { nodes: size.nodes, idle: undefined, caches: [], awaited: [], read: [] };
for (const [router, downShare] of [
  ["hash", 0],
  ["random", 0],
  ["hash", 0.05],
]) {
  const found = await caches(router, downShare);
  results.caches.push(found);
  console.log(
    `${router} router, ${downShare * 100} % of ${size.nodes} nodes down: servers knew ${(found.known * 100).toFixed(1)} % of later prompts; ${found.attempts.toFixed(3)} attempts an answer`,
  );
}
for (const read of [false, true]) {
  for (const streams of size.streams) {
    const found = await running(streams, { read });
    results[read ? "read" : "awaited"].push(found);
    const late = found.lateMs && `, ${found.lateMs.median.toFixed(1)} ms late (p99 ${found.lateMs.p99.toFixed(0)})`;
    console.log(
      `${streams} answers ${read ? "read" : "awaited"}: ${found.piecesPerSecond} pieces/s of ${streams * usual.pace}, loop ${(found.loop * 100).toFixed(0)} %, ${found.cores.toFixed(2)} cores, ${found.cpuUsPerPiece.toFixed(1)} us a piece${late ?? ""}, ${found.rssMb.toFixed(0)} MB`,
    );
  }
}
results.idle = await idle();
console.log(
  `${results.idle.conversations} idle conversations: ${results.idle.bytes.toFixed(0)} bytes each (${results.idle.heapBytes.toFixed(0)} of JavaScript's heap), ${results.idle.openUs.toFixed(0)} us to open one`,
);
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(results, null, 2));
