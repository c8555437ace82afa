// Makes the folder of the models that tests share, for all workers of a run, and removes it after the run.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    modelFolder: string;
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-models-"));
  provide("modelFolder", folder);
  return () => rm(folder, { recursive: true, force: true });
}
