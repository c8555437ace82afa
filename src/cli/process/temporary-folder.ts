// Makes a temporary folder that exists while some work runs.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onSignalExit } from "./signal-cleanup.js";

/**
 * The folder is private to the user. It is removed when the work or the process ends, but not if the process is killed
 * (SIGKILL).
 */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), `llama-hooks-${name}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onSignalExit(remove);
  process.on("exit", remove);
  try {
    return await work(folder);
  } finally {
    process.removeListener("exit", remove);
    forget();
    remove();
  }
}
