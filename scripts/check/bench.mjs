// Proves that the benchmarks run: builds them, measures with small models, and checks that results exist. Must not:
// judge a speed; CI's machines are noisy.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildDir } from "../build/llama-paths.mjs";

const file = join(buildDir, "bench-check.json");
const wanted = ["P1", "P2", "P7", "P11", "P14", "P15", "P17", "P19", "P20", "P21", "P22", "P31"];

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
}

function check({ rows, skipped, paired }) {
  // Google Benchmark is a package of the distribution, and llama-server takes minutes to build.
  const optional = ["libbenchmark-dev", "scripts/build/llama-server.mjs"];
  const broken = skipped.filter(({ reason }) => !optional.some((name) => reason.includes(name)));
  if (broken.length > 0) throw new Error(`skipped: ${JSON.stringify(broken)}`);
  if (paired.length === 0) throw new Error("nothing was measured in pairs");
  for (const id of wanted) {
    const { figures = [] } = rows.find((row) => row.id === id) ?? {};
    if (!figures.some(({ value }) => value > 0)) throw new Error(`${id} has no figure: ${JSON.stringify(rows)}`);
  }
}

run("scripts/build/addon.mjs", "--bench");
run("bench/run.mjs", "--quick", "--models", "tiny", "--rows", wanted.join(","), "--json", file);
check(JSON.parse(readFileSync(file, "utf8")));
