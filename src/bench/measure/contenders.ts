// The contenders that come with the package: their names, labels and functions. contender-process.ts runs them in
// separate processes.
import { engineContenders } from "./engine-contenders.js";
import type { Job } from "./job.js";
import { nodeLlamaCppContenders } from "./node-llama-cpp-contenders.js";
import type { Timing } from "./timing.js";

/** Labels for people. The number of generations at once is shown separately. */
const labels: Readonly<Record<string, string>> = {
  engine: "no hook",
  "engine-streamed": "no hook, events read",
  "engine-slow-reader": "no hook, 1 ms an event",
  "engine-c-hook": "C hook, each token",
  "engine-observed": "observing hook, each token",
  "engine-awaited": "awaited hook, each token",
  "engine-async": "async hook, each token",
  "engine-all-points": "a hook on every point",
  "node-llama-cpp": "node-llama-cpp",
  "node-llama-cpp-streamed": "node-llama-cpp, onTextChunk",
};

const contenders = { ...engineContenders, ...nodeLlamaCppContenders };

export function labelOf(name: string): string {
  return labels[name] ?? name;
}

/** Measures one contender once, in this process. */
export async function measureHere(name: string, job: Job): Promise<Timing> {
  const contender = contenders[name];
  if (contender === undefined)
    throw new TypeError(`no contender ${JSON.stringify(name)}; known: ${Object.keys(contenders).join(", ")}`);
  return contender(job);
}
