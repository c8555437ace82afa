// A folder for the time of some work. Must not: know what is put there.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Only this user may look into it. It is removed when the work ends, or the process does by itself. */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), `llama-hooks-${name}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on("exit", remove);
  try {
    return await work(folder);
  } finally {
    process.removeListener("exit", remove);
    remove();
  }
}
