// The parts of `npm run reliability`: each returns {counts, faults, samples}, where a fault is a sentence.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";
import { node, wordsOf } from "./child.mjs";
import { clock } from "./clock.mjs";
import { decodeCodes } from "./decode-codes.mjs";
import { files } from "./files.mjs";

const script = (...path) => join(projectDir, ...path);
/** Threads, handles and the share of memory that may have come during a part: some come and go. */
const mostMore = 4;
const mostGrowth = 0.15;

function grown({ warm, end }) {
  const faults = [];
  for (const key of ["threads", "handles"]) {
    if (end[key] - warm[key] > mostMore) faults.push(`${warm[key]} ${key} became ${end[key]}`);
  }
  if (end.rssMb > warm.rssMb * (1 + mostGrowth)) {
    faults.push(`${warm.rssMb.toFixed(0)} MB became ${end.rssMb.toFixed(0)} MB`);
  }
  return faults;
}

/** A program that prints one line of JSON; `judge` returns its faults. */
async function program(args, limitS, judge) {
  const end = await node(args, { limitS, samples: true });
  const { samples } = end;
  let said;
  try {
    said = JSON.parse(end.stdout.trim().split("\n").at(-1));
  } catch {
    return { counts: {}, faults: [`the process ${wordsOf(end)}`], samples };
  }
  const faults = judge(said);
  if (end.status !== 0 && faults.length === 0) faults.push(`the process ${wordsOf(end)}`);
  return { ...said, counts: said.counts ?? {}, faults, samples };
}

async function fuzz({ seconds, jobs }) {
  const folder = mkdtempSync(join(tmpdir(), "lh-reliability-"));
  const json = join(folder, "fuzz.json");
  const args = [script("scripts", "fuzz.mjs"), "--seconds", seconds, "--jobs", jobs, "--json", json].map(String);
  const end = await node(args, { limitS: seconds * 14 + 1800, samples: false, tail: true });
  try {
    if (!existsSync(json))
      return { counts: {}, faults: [`fuzzing ${end.status === 0 ? "was skipped" : wordsOf(end)}`] };
    const targets = JSON.parse(readFileSync(json, "utf8"));
    const faults = targets.flatMap(({ target, crashes }) =>
      crashes.map(({ reason, reproduce }) => `${target}: ${reason} (${reproduce})`),
    );
    const counts = Object.fromEntries(targets.map(({ target, inputs }) => [target, inputs]));
    return { counts: { inputs: targets.reduce((sum, { inputs }) => sum + inputs, 0), ...counts }, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fails each allocation of a call with tools, one after another. */
async function allocations() {
  const vitest = [script("node_modules", "vitest", "vitest.mjs"), "run", "test/lifetime/out-of-memory.test.ts"];
  const end = await node(vitest, { env: { EVERY_ALLOCATION: "yes" }, limitS: 1800, tail: true });
  return { counts: {}, faults: end.status === 0 ? [] : [`the sweep ${wordsOf(end)}`] };
}

async function threadSanitizer() {
  const end = await node([script("scripts", "test", "native.mjs"), "thread"], { limitS: 3600, tail: true });
  return { counts: {}, faults: end.status === 0 ? [] : [`the native tests with ThreadSanitizer ${wordsOf(end)}`] };
}

function random({ seconds, isolation = [] }) {
  const args = [script("bench", "soak-sessions.mjs"), "--seconds", String(seconds), ...isolation, "--json"];
  return program(args, seconds + 300, (said) => {
    said.counts = { seconds: Math.round(said.seconds), ...said.totals, calls: said.calls };
    return said.wrong;
  });
}

function generations({ times }) {
  const args = [script("bench", "soak.mjs"), "--generations", String(times), "--growth", "5", "--json"];
  return program(args, 3600, (said) => {
    said.counts = { generations: said.generations, "calls of hooks": said.calls };
    const faults = said.balance === 0 ? [] : [`${said.balance} blocks of the allocator stayed`];
    if (Math.abs(said.growth) > 5) faults.push(`the memory has changed by ${said.growth.toFixed(1)} %`);
    return faults;
  });
}

function lifetimes({ times }) {
  return program(
    ["--expose-gc", script("scripts", "reliability", "lifetimes-work.mjs"), String(times)],
    3600,
    (said) => {
      said.counts = { engines: said.times };
      return [...grown(said), ...(said.balance === 0 ? [] : [`${said.balance} blocks of the allocator stayed`])];
    },
  );
}

function teardowns({ times }) {
  return program(
    ["--expose-gc", script("scripts", "reliability", "teardowns-work.mjs"), String(times)],
    3600,
    (said) => {
      said.counts = { workers: said.times };
      return grown(said);
    },
  );
}

function deaths({ times }) {
  return program(["--expose-gc", script("scripts", "reliability", "deaths-work.mjs"), String(times)], 3600, (said) => {
    said.counts = { deaths: said.times, "in a generation": said.inWork };
    return [...said.wrong, ...grown(said)];
  });
}

function requests({ times }) {
  const args = ["--expose-gc", script("scripts", "reliability", "requests-work.mjs"), String(times)];
  return program(args, 3600, (said) => {
    said.counts = { requests: said.times, "left by the client": said.left };
    return [...said.wrong, ...grown(said)];
  });
}

/** By name, in order: what each does, and its size for a run of `minutes` minutes. */
export function partsFor(minutes, jobs) {
  const share = Math.min(1, minutes / 60);
  const size = (whole, least) => Math.max(least, Math.round(whole * share));
  return {
    "decode codes": () => decodeCodes({ most: size(12, 3) }),
    files: () => files({ every: share >= 0.5 ? 1 : 4 }),
    clock: () => clock(),
    lifetimes: () => lifetimes({ times: size(200, 20) }),
    teardowns: () => teardowns({ times: size(1000, 30) }),
    generations: () => generations({ times: size(10_000, 400) }),
    "random sessions": () => random({ seconds: size(600, 30) }),
    "isolated sessions": () => random({ seconds: size(600, 30), isolation: ["--isolation"] }),
    deaths: () => deaths({ times: size(1000, 30) }),
    requests: () => requests({ times: size(100_000, 3000) }),
    allocations: () => allocations(),
    threads: () => threadSanitizer(),
    fuzz: () => fuzz({ seconds: size(180, 20), jobs }),
  };
}
