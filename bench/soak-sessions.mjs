// Several sessions at once on one model, with tools and hooks: does every run end once, has every tool call one result,
// does the process stay as large as it was? What is done is in bench/sessions.
// Must not: measure speed. Exit code 1: something of that does not hold.
import { parseArgs } from "node:util";
import { soakSessions } from "./sessions/soak.mjs";

const help = `node bench/soak-sessions.mjs [options]
  --seconds N      (120)
  --sessions N     (8)
  --parallel N     sequences that the model decodes together (4)
  --seed N         of what is done by chance (1)
  --growth P       percent by which the memory of the last quarter may be above that of the second (5)
  --isolation      the model computes in a process of the engine's own
  --json           print one line of JSON instead of a table
`;

/** Threads and open files that may have come in the meantime: those of a moment are among them. */
const mostMore = 4;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean" },
    seconds: { type: "string", default: "120" },
    sessions: { type: "string", default: "8" },
    parallel: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    growth: { type: "string", default: "5" },
    isolation: { type: "boolean" },
    json: { type: "boolean" },
  },
});

function count(name) {
  const value = Number(options[name]);
  if (!(value > 0)) throw new TypeError(`--${name} must be a positive number, got "${options[name]}"`);
  return value;
}

/** The measurements that grew during the run, in words. */
function grown({ warm, end }, limit) {
  const growth = (end.rss / warm.rss - 1) * 100;
  const more = ["threads", "files", "resources"].filter((key) => end[key] - warm[key] > mostMore);
  return [
    ...(growth > limit ? [`the memory has grown by ${growth.toFixed(1)} %`] : []),
    ...more.map((key) => `${warm[key]} ${key} became ${end[key]}`),
  ];
}

function print({ seconds, sessions, parallel, totals, finished, resultKinds, refused, calls, decisions, warm, end }) {
  const listed = (counts) =>
    Object.entries(counts)
      .map(([key, value]) => `${value} ${key}`)
      .join(", ");
  const mb = (bytes) => (bytes / 1e6).toFixed(1);
  const { runs, delegated, neverBegan, toolCalls, histories } = totals;
  console.log(`${sessions} sessions at once over ${parallel} sequences, ${seconds.toFixed(0)} s`);
  console.log(
    `${runs} runs: ${listed(finished)}; ${neverBegan} of them before their loop began; ${delegated} delegated`,
  );
  console.log(`${toolCalls} tool calls: ${listed(resultKinds)}`);
  console.log(`${histories} histories looked through; refused as they should be: ${listed(refused)}`);
  console.log(`${calls} calls of hooks, ${decisions} decisions`);
  console.table(
    Object.entries({ "second quarter": warm, "last quarter": end }).map(([when, one]) => ({
      when,
      "RSS MB": mb(one.rss),
      "JavaScript heap MB": mb(one.heapUsed),
      threads: one.threads,
      "open files": one.files,
      "active resources": one.resources,
    })),
  );
}

async function main() {
  if (options.help) return console.log(help);
  const [seconds, sessions, parallel, seed, limit] = ["seconds", "sessions", "parallel", "seed", "growth"].map(count);
  const found = await soakSessions({
    seconds,
    sessions,
    parallel,
    seed,
    isolation: options.isolation ? "process" : "none",
  });
  const wrong = [...found.violations, ...grown(found, limit)];
  if (options.json) console.log(JSON.stringify({ ...found, wrong }));
  else print(found);
  if (wrong.length === 0) return;
  process.exitCode = 1;
  if (options.json) return;
  const unsaid = found.violated - found.violations.length;
  for (const one of wrong) console.log(`VIOLATED: ${one}`);
  if (unsaid > 0) console.log(`and ${unsaid} more`);
}

try {
  await main();
} catch (error) {
  console.error(`soak: ${error.stack}`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
