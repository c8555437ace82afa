// The clock of the wall jumps by an hour, back and forth, at each look: deadlines, limits of time and results do not
// depend on it.
import { fileURLToPath } from "node:url";
import { node, wordsOf } from "./child.mjs";
import { shim } from "./shims.mjs";

const program = fileURLToPath(new URL("clock-work.mjs", import.meta.url));

export async function clock() {
  const end = await node([program], { env: { LD_PRELOAD: shim("clock_back") }, limitS: 120 });
  if (end.status !== 0) return { counts: {}, faults: [`the process ${wordsOf(end)}`] };
  const { jumps, wrong } = JSON.parse(end.stdout);
  return { counts: { jumps }, faults: jumps > 0 ? wrong : ["the clock did not jump: the shim has no effect"] };
}
