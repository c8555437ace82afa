// @fugood/llama.node as a contender: installed when first needed, beside the build. Must not: become a dependency.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runForJson } from "../../dist/bench/measure/child.js";

const name = "@fugood/llama.node";
const version = "1.7.15";
const folder = fileURLToPath(new URL("../../build/bench-contenders", import.meta.url));
const script = fileURLToPath(new URL("llama-node-process.mjs", import.meta.url));

let installing;

/** One measurement of a Job. Rejects with the reason if the package does not install here. */
export async function measureLlamaNode(job, signal) {
  installing ??= install();
  await installing;
  return runForJson(process.execPath, [script, folder, JSON.stringify(job)], signal);
}

/** Its version, if it was needed and could be installed. */
export function llamaNodeVersion() {
  const manifest = path.join(folder, "node_modules", name, "package.json");
  return existsSync(manifest) ? { [name]: JSON.parse(readFileSync(manifest, "utf8")).version } : {};
}

async function install() {
  if (llamaNodeVersion()[name] === version) return;
  await mkdir(folder, { recursive: true });
  // Without a package.json there, npm would install into the package above.
  await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", `${name}@${version}`];
  try {
    await promisify(execFile)("npm", args, { timeout: 120_000 });
  } catch (error) {
    throw new Error(
      `npm could not install ${name}@${version}: ${error.stderr?.trim().split("\n")[0] || error.message}`,
      {
        cause: error,
      },
    );
  }
}
