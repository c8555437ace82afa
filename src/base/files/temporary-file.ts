// Writes files beside their final place. The only place that creates such files: if anything fails, also on a full
// disk, no part of the file is left.
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";

/** Bytes of a name, in most file systems. */
const mostOfName = 255;

/**
 * The name of a new file beside `file`, for the same file system: `<name>.<random>.tmp`. A long name is shortened to
 * its beginning.
 */
export function temporaryName(file: string): string {
  const end = `.${randomBytes(6).toString("hex")}.tmp`;
  const name = Buffer.from(path.basename(file));
  const room = mostOfName - end.length;
  const head = name.length <= room ? name.toString() : name.toString("utf8", 0, room).replace(/\ufffd+$/, "");
  return path.join(path.dirname(file), head + end);
}

/**
 * Writes a new file beside `file` with `mode` (less the process's mask), by default only for its owner, and calls
 * `place` with its name. If `place` has not moved the file, the file is removed, also after an error. Errors: those of
 * the system, of `write` and of `place`.
 */
export async function throughTemporaryFile<T>(
  file: string,
  write: (handle: FileHandle) => Promise<unknown>,
  place: (temporary: string) => Promise<T>,
  mode = 0o600,
): Promise<T> {
  const temporary = temporaryName(file);
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      await write(handle);
    } finally {
      await handle.close();
    }
    return await place(temporary);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined); // the caller gets the first error
  }
}

/** Writes a text into an open file, and waits until the disk has it. */
export async function writeSynced(handle: FileHandle, text: string | Iterable<string>): Promise<void> {
  await handle.writeFile(text as string); // Node accepts iterables here; its types do not say so
  await handle.sync();
}
