// The long run of P12: bench/soak.mjs in a separate process.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runForJson } from "../../dist/bench/measure/child.js";
import { hookLibrary } from "./models.mjs";

const script = fileURLToPath(new URL("../soak.mjs", import.meta.url));

/** 100,000 tokens, each with four TypeScript hooks and six C hooks. */
export async function soak({ quick, signal }) {
  if (!existsSync(hookLibrary))
    throw new Error("the library with the C hook is not built: node scripts/build/addon.mjs --bench");
  const args = ["--generations", quick ? "20" : "500", "--tokens", "200", "--library", hookLibrary, "--json"];
  return runForJson(process.execPath, [script, ...args], signal);
}
