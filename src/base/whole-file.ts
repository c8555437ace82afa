// Files that are there whole, or as they were before. Must not: know what they are for.
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { LlamaHooksError } from "./errors.js";

/**
 * For its owner alone to read; of a link, the file that it leads to. Errors: INVALID_ARGUMENT when it cannot be written, or is no file
 * (a folder, a device, a pipe); what was there is then as it was.
 */
export async function writeWholeFile(path: string, text: string | Iterable<string>): Promise<void> {
  try {
    await replaceFile(await replaceable(path), text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LlamaHooksError("INVALID_ARGUMENT", `${path} cannot be written: ${why}`, { cause });
  }
}

/** Where a file can take the place of what is there; throws where something else than a file is. */
export async function replaceable(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return path;
  if (!found.isFile()) throw new Error(found.isDirectory() ? "it is a folder" : "it is no file");
  return realpath(path);
}

async function replaceFile(path: string, text: string | Iterable<string>): Promise<void> {
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      // Node takes what can be iterated over; its types do not say so.
      await handle.writeFile(text as string);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // what went wrong first is what is told
    throw error;
  }
}
