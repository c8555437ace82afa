// Files that are there whole, or as they were before. Must not: know what they are for.
import { open, rename, rm } from "node:fs/promises";
import { LlamaHooksError } from "./errors.js";

/** For its owner alone to read. Errors: INVALID_ARGUMENT when it cannot be written; what was there is then as it was. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LlamaHooksError("INVALID_ARGUMENT", `${path} cannot be written: ${why}`, { cause });
  }
}
