// Where a run took place, for the head of its results. Must not: name a person, a host or a folder.
import { createRequire } from "node:module";
import os from "node:os";
import type { SystemInfo } from "../../index.js";
import { ownPackageJson, readPackageJson } from "../../base/package-json.js";
import type { BenchResults } from "../results/results.js";

export function machine(devices: SystemInfo["devices"], gpuUsed: boolean): BenchResults["machine"] {
  const cpus = os.cpus();
  const gpu = gpuUsed ? devices.find(({ type }) => type.toLowerCase().includes("gpu")) : undefined;
  return {
    cpu: cpus[0]?.model.trim() ?? "unknown CPU",
    cores: cpus.length,
    memoryGib: gib(os.totalmem()),
    platform: `${process.platform}-${process.arch}`,
    os: `${os.type()} ${os.release()}`,
    node: process.version,
    gpu: gpu === undefined ? null : { name: gpu.description, memoryGib: gib(gpu.totalBytes) },
  };
}

/** Of this package, of llama.cpp, and of the packages named. */
export function versions(system: SystemInfo, packages: readonly string[]): Record<string, string> {
  const others = packages.map((name) => [name, packageVersion(name)] as const);
  return { "llama-hooks": ownPackageJson().version, "llama.cpp": system.llamaCpp, ...Object.fromEntries(others) };
}

function gib(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}

/** Packages need not let their package.json be imported, so it is looked for where Node would look for them. */
function packageVersion(name: string): string {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      return readPackageJson(`${folder}/${name}/package.json`).version;
    } catch {
      // Not in this folder.
    }
  }
  return "not found";
}
