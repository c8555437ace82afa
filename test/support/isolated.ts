// Engines whose models compute in a process of their own, and that process.
import { readFileSync } from "node:fs";
import type { Engine, EngineOptions } from "../../src/index.js";
import { openEngine, type Script } from "./engine.js";

export const openIsolated = (script: Script, options: EngineOptions = {}): Promise<Engine> =>
  openEngine(script, { isolation: "process", ...options });

/** The id of the engine's process. Throws if it is dead. */
export function processOf(engine: Engine): number {
  const { process: id } = engine.systemInfo();
  if (id === null) throw new Error("the engine has no process");
  return id;
}

/** Whether there is such a process; one that has ended and is not yet waited for is there, too. */
export function isThere(id: number): boolean {
  try {
    readFileSync(`/proc/${id}/status`);
    return true;
  } catch {
    return false;
  }
}
