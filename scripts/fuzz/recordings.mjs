// The target "recordings", in JavaScript as the code that it tries: watches recordings-process.mjs, which says when it
// begins an input.
import { fork } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("recordings-process.mjs", import.meta.url));
const mostCrashes = 10;
const longestMs = 20_000; // of one input
const mostMb = 2048;

/** Runs one process until it ends or an input takes too long. */
function watch(args) {
  return new Promise((resolve) => {
    const child = fork(program, args, { execArgv: [`--max-old-space-size=${mostMb}`], stdio: "pipe" });
    const state = { inputs: 0, peakMb: 0, reason: undefined };
    let text = "";
    child.stderr.on("data", (chunk) => (text = (text + chunk).slice(-20_000)));
    let timer;
    const waitAgain = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        state.reason = `an input takes longer than ${longestMs / 1000} s`;
        child.kill("SIGKILL");
      }, longestMs);
    };
    waitAgain();
    child.on("message", ({ inputs, rssMb, broken }) => {
      waitAgain();
      state.inputs = inputs;
      state.peakMb = Math.max(state.peakMb, rssMb);
      state.reason ??= broken ?? (rssMb > mostMb ? `an input takes ${rssMb} MB` : undefined);
      if (rssMb > mostMb) child.kill("SIGKILL");
    });
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      if (status !== 0)
        state.reason ??= /^\w*(?:Error|RangeError)\b.*/m.exec(text)?.[0] ?? `it ended with ${signal ?? status}`;
      resolve(state);
    });
  });
}

export async function runRecordings({ seconds, runs, keep }) {
  const target = "recordings";
  const crashes = join(keep, target, "crashes");
  mkdirSync(crashes, { recursive: true });
  const current = join(keep, target, "current.json");
  const result = { target, inputs: 0, seconds: 0, peakMb: 0, crashes: [] };
  const begin = Date.now();
  let seed = begin % 1_000_000;
  while (result.crashes.length < mostCrashes) {
    const timeLeft = seconds === undefined ? 0 : seconds - (Date.now() - begin) / 1000;
    const runsLeft = runs === undefined ? 0 : runs - result.inputs;
    if ((seconds !== undefined && timeLeft <= 0) || (runs !== undefined && runsLeft <= 0)) break;
    const { inputs, peakMb, reason } = await watch([current, String(timeLeft), String(runsLeft), String(seed++)]);
    result.inputs += inputs;
    result.peakMb = Math.max(result.peakMb, peakMb);
    if (reason === undefined) continue;
    const file = join(crashes, `crash-${Date.now()}.json`);
    if (existsSync(current)) renameSync(current, file);
    result.crashes.push({ file, reason, reproduce: `node ${program} ${file}` });
    if (inputs === 0) break; // it cannot even begin
  }
  result.seconds = (Date.now() - begin) / 1000;
  return result;
}
