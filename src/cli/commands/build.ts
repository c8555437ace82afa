// `llama-hooks build`: builds the addon from the sources in the package, for platforms without a prebuilt one.
// scripts/build/addon.mjs does the work.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { exitCodes } from "../process/exit.js";

export interface BuildOptions {
  /** Build llama.cpp as well, instead of using node-llama-cpp's libraries. */
  readonly llama?: boolean;
  readonly verbose?: boolean;
}

export async function build({ llama, verbose }: BuildOptions): Promise<number> {
  const script = fileURLToPath(new URL("../../../scripts/build/addon.mjs", import.meta.url));
  const env = llama === true ? { ...process.env, LLAMA_HOOKS_LLAMA: "source" } : process.env;
  process.stderr.write(
    `building the addon (${llama ? "with llama.cpp: about a quarter of an hour" : "some minutes"})\n`,
  );
  const args = [script, ...(verbose ? ["--verbose"] : [])];
  const child = spawn(process.execPath, args, { env, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) process.stderr.write("built; this build is used from now on\n");
  return code === 0 ? exitCodes.ok : exitCodes.failed;
}
