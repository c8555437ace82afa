// Runs a target of native/fuzz in child processes. When an input crashes the process, another one starts, until the
// time is over or enough crashing inputs have been found.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";
import { fuzzProgram } from "./build.mjs";
import { writeDictionary } from "./dictionary.mjs";
import { writeSeeds } from "./seeds.mjs";

const mostCrashes = 10;
/** Bytes of an input, where llama.cpp's own templates and model files are longer than most. */
const longest = { template: 16_384, gguf: 16_384, "gguf-header": 65_536 };
/** Bounds of one input. */
const bounds = ["-timeout=20", "-rss_limit_mb=2048", "-malloc_limit_mb=2048"];
const sanitizers = {
  ASAN_OPTIONS: "detect_leaks=0:allocator_may_return_null=1:handle_abort=1",
  UBSAN_OPTIONS: "halt_on_error=1:print_stacktrace=1",
};

export function nativeTargets() {
  return execFileSync(fuzzProgram, ["--targets"], { encoding: "utf8" }).trim().split("\n");
}

function start(args, log) {
  return new Promise((resolve, reject) => {
    const child = spawn(fuzzProgram, args, {
      cwd: projectDir,
      env: { ...process.env, ...sanitizers },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    child.stderr.on("data", (chunk) => (text = (text + chunk).slice(-200_000)));
    child.on("error", reject);
    child.on("close", (status) => {
      writeFileSync(log, text);
      resolve({ status, text });
    });
  });
}

function numberIn(text, pattern) {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

/** The cause, from what sanitizers and libFuzzer print. */
function reasonIn(text) {
  const line =
    /broken promise: .*/.exec(text) ??
    /runtime error: .*/.exec(text) ??
    /.*(?:GGML_ASSERT|GGML_ABORT).*/.exec(text) ??
    /ERROR: (?:AddressSanitizer|libFuzzer): .*/.exec(text) ??
    /terminate called .*/.exec(text);
  return (line?.[0] ?? "it ended without a word").trim().slice(0, 200);
}

/** True if an input that took too long ends within 20 s of processor time: the machine was busy with other work. */
function isOnlyLate(target, file) {
  const command = [fuzzProgram, `--target=${target}`, "-timeout=1200", file];
  const { status } = spawnSync("sh", ["-c", 'ulimit -t 20; exec "$@"', "sh", ...command], {
    cwd: projectDir,
    env: { ...process.env, ...sanitizers },
    stdio: "ignore",
  });
  return status === 0;
}

/** Runs a target; `limits`: seconds, runs, keep, fresh. */
export async function runNative(target, limits) {
  const folder = join(limits.keep, target);
  const [corpus, crashes, seeds] = ["corpus", "crashes", "seeds"].map((name) => join(folder, name));
  if (limits.fresh) rmSync(corpus, { recursive: true, force: true });
  rmSync(seeds, { recursive: true, force: true }); // those of an earlier version
  for (const each of [corpus, crashes, seeds]) mkdirSync(each, { recursive: true });
  writeSeeds(target, seeds, limits.seconds !== undefined && limits.seconds < 60);
  const own = join(projectDir, "native", "fuzz", "corpus", target);
  if (existsSync(own)) cpSync(own, seeds, { recursive: true });
  const dictionary = join(folder, "words.dict");
  const hasWords = writeDictionary(target, dictionary);

  const result = { target, inputs: 0, seconds: 0, peakMb: 0, crashes: [] };
  const begin = Date.now();
  const before = new Set(readdirSync(crashes));
  for (let round = 0; result.crashes.length < mostCrashes; round++) {
    const timeLeft = limits.seconds === undefined ? 0 : Math.ceil(limits.seconds - (Date.now() - begin) / 1000);
    const runsLeft = limits.runs === undefined ? -1 : limits.runs - result.inputs;
    if ((limits.seconds !== undefined && timeLeft <= 0) || runsLeft === 0) break;
    const { status, text } = await start(
      [
        `--target=${target}`,
        `-max_total_time=${timeLeft}`,
        `-runs=${runsLeft}`,
        ...bounds,
        `-max_len=${longest[target] ?? 4096}`,
        "-print_final_stats=1",
        "-reload=0",
        ...(hasWords ? [`-dict=${dictionary}`] : []),
        `-artifact_prefix=${crashes}/`,
        corpus,
        seeds,
      ],
      join(folder, `log-${round}.txt`),
    );
    result.inputs +=
      numberIn(text, /stat::number_of_executed_units:\s*(\d+)/) || numberIn(text.split("\n#").at(-1), /^(\d+)/);
    result.peakMb = Math.max(result.peakMb, numberIn(text, /stat::peak_rss_mb:\s*(\d+)/));
    if (status === 0) {
      if (limits.runs !== undefined) break;
      continue;
    }
    const found = readdirSync(crashes).filter((name) => !before.has(name) && !name.startsWith("slow-unit-"));
    for (const name of found) before.add(name);
    if (found.length === 0) found.push("");
    for (const name of found) {
      const file = join(crashes, name);
      if (name.startsWith("timeout-") && isOnlyLate(target, file)) continue;
      const reproduce = `${fuzzProgram} --target=${target} ${bounds.join(" ")} ${file}`;
      result.crashes.push({ file, reason: reasonIn(text), reproduce });
    }
    if (found[0] === "") break; // it cannot even begin
  }
  result.seconds = (Date.now() - begin) / 1000;
  return result;
}
