// Micro-benchmarks of the dispatcher in C++: runs dispatch-bench (bench/native/dispatch_bench.cpp) and names its
// results.
import { builtFile, runProgram } from "./programs.mjs";

const hint = "node scripts/build/addon.mjs --bench (with Google Benchmark: apt-get install libbenchmark-dev)";

const single = (group, label) => () => ({ group, label, x: null, xLabel: null });
const curve = (group, one, many) => (x) => ({ group, label: `${x} ${x === 1 ? one : many}`, x, xLabel: many });

/** By the benchmark's name; x is its argument. */
const naming = {
  has: single("no hook", "has()"),
  fire: single("no hook", "fire()"),
  token_without_hook: single("no hook", "token"),
  token_hooks: curve("C hooks on one point", "hook", "hooks"),
  context_by_size: curve("C hook by text", "byte", "bytes"),
  answer_by_size: curve("C hook that changes the text", "byte", "bytes"),
};

function resultOf({ run_name: name, cpu_time: median, time_unit: unit, allocs }) {
  const [benchmark, argument] = name.split("/");
  const describe = naming[benchmark];
  if (describe === undefined || unit !== "ns") throw new Error(`dispatch-bench: ${name} in ${unit} is not known`);
  // A generation's text grows, and allocates now and then.
  const allocations = Number(allocs.toFixed(1));
  return { ...describe(Number(argument)), median, p99: null, allocations };
}

/** Medians of several repetitions, in nanoseconds of thread time. */
export async function runDispatch(folder) {
  const program = builtFile("dispatch-bench", folder, hint);
  const output = await runProgram(program, [
    "--benchmark_format=json",
    "--benchmark_min_time=0.05",
    "--benchmark_repetitions=7",
    "--benchmark_report_aggregates_only=true",
  ]);
  // NaN is not JSON: the relative deviation of counters that are zero.
  const { benchmarks } = JSON.parse(output.replaceAll(/: -?NaN/gi, ": null"));
  return benchmarks.filter((one) => one.aggregate_name === "median").map(resultOf);
}
