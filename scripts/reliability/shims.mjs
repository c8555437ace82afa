// Compiles what the parts preload into a process (native/test/faults). Linux only.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildDir, projectDir } from "../build/llama-paths.mjs";

/** The path of the compiled shim: file_faults, decode_codes or clock_back. */
export function shim(name) {
  const folder = join(buildDir, "faults");
  mkdirSync(folder, { recursive: true });
  const out = join(folder, `${name}.so`);
  const source = join(projectDir, "native", "test", "faults", `${name}.c`);
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", out, source, "-ldl"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return out;
}
