// llama_decode returns each of its codes, once and from then on: 1 (no room in the KV cache), 2 (aborted), -1 (an
// invalid batch), -2 and -3 (fatal). Each failure is an error with a code, work beside it ends, the engine closes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { node, wordsOf } from "./child.mjs";
import { shim } from "./shims.mjs";

const program = fileURLToPath(new URL("decode-work.mjs", import.meta.url));
const codes = [1, 2, -1, -2, -3];
const allowed = new Set([
  "stop",
  "length",
  "complete",
  "limit",
  "cancelled",
  "embedded",
  "DECODE_FAILED",
  "UNSUPPORTED_BY_MODEL",
]);
/** The code for a batch that does not fit into memory. */
const noMemory = -2;

/** `most`: calls that are tried for each code. */
export async function decodeCodes({ most = 12 } = {}) {
  const library = shim("decode_codes");
  const folder = mkdtempSync(join(tmpdir(), "lh-decode-"));
  const faults = [];
  const counts = { calls: 0, tried: 0, DECODE_FAILED: 0 };
  try {
    const count = join(folder, "count");
    const whole = await node([program], { env: { LD_PRELOAD: library, LH_FAULT_COUNT: count }, limitS: 120 });
    if (whole.status !== 0) throw new Error(`without a fault it ${wordsOf(whole)}`);
    counts.calls = Number(readFileSync(count, "utf8"));
    const step = Math.max(1, Math.floor(counts.calls / most));
    for (const code of codes) {
      for (const times of [1, 1_000_000]) {
        for (let at = 1; at <= counts.calls; at += step) {
          const env = { LD_PRELOAD: library, LH_FAULT_CODE: code, LH_FAULT_AT: at, LH_FAULT_TIMES: times };
          const end = await node([program], { env, limitS: 120 });
          const what = `llama_decode returns ${code} at call ${at}${times > 1 ? " and later" : ""}`;
          counts.tried++;
          if (end.status !== 0) {
            faults.push(`${what}: the process ${wordsOf(end)}`);
            continue;
          }
          const outcomes = JSON.parse(end.stdout);
          counts.DECODE_FAILED += outcomes.filter((one) => one === "DECODE_FAILED").length;
          for (const one of outcomes) {
            const fits = allowed.has(one) || (code === noMemory && one === "INSUFFICIENT_MEMORY");
            if (!fits) faults.push(`${what}: ${one}`);
          }
        }
      }
    }
    if (counts.DECODE_FAILED === 0) faults.push("no code of llama_decode was reported: the shim has no effect");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { counts, faults };
}
