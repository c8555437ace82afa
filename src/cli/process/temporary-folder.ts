// A folder for the time of some work. Must not: know what is put there.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onSignalExit } from "./signal-cleanup.js";

/** Only this user may look into it. It is removed when the work ends, or the process: not when that is killed (SIGKILL). */
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
