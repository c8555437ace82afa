// A server answers TIMES requests of all kinds: `node requests-work.mjs TIMES`, from a client process, which leaves
// some of them before their end. Prints what grew, as JSON.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundledModel, createEngine } from "../../dist/index.js";
import { serve } from "../../dist/server/index.js";

const times = Number(process.argv[2]);
/** Requests until everything has been made that stays: contexts, caches, code. */
const first = Math.min(times, 5000);

const engine = await createEngine({ models: { tiny: { path: bundledModel, threads: 1, contextSize: 256 } } });
let left = 0;
engine.hooks.on("postGenerate", () => undefined, { observe: true });
const server = await serve(engine, { port: 0, onRequest: ({ cancelled }) => (left += cancelled ? 1 : 0) });
const client = fork(fileURLToPath(new URL("requests-client.mjs", import.meta.url)), [server.origin]);

async function ask(count) {
  client.send(count);
  const [reply] = await once(client, "message");
  return reply;
}

async function held() {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 10)).then(gc);
  const threads = Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  return { threads, handles: readdirSync("/proc/self/fd").length, rssMb: process.memoryUsage().rss / 1e6 };
}

await ask(first);
const warm = await held();
const { statuses, wrong } = await ask(times);
const end = await held();
const metrics = await (await fetch(`${server.origin}/metrics`)).text();
const underWay = /^llama_hooks_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1];
if (underWay !== "1") wrong.push(`${underWay} requests are under way, where this question is the only one`);
client.kill();
await server.close();
await engine.close();
console.log(JSON.stringify({ times, statuses, left, wrong, warm, end }));
