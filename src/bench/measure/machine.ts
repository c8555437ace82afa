// Describes the machine and the versions, for the head of the results. Must not: name a person, a host or a folder.
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

/** The versions of this package, of llama.cpp and of the named packages. */
export function versions(system: SystemInfo, packages: readonly string[]): Record<string, string> {
  const others = packages.map((name) => [name, packageVersion(name)] as const);
  return { "llama-hooks": ownPackageJson().version, "llama.cpp": system.llamaCpp, ...Object.fromEntries(others) };
}

function gib(bytes: number): number {
  return Math.round((bytes / 2 ** 30) * 10) / 10;
}

/** Searches the folders that Node would search, because a package may forbid the import of its package.json. */
function packageVersion(name: string): string {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      return readPackageJson(`${folder}/${name}/package.json`).version;
    } catch {
      // The package is not in this folder.
    }
  }
  return "not found";
}
