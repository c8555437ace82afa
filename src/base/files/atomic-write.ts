// Writes files atomically: readers see the old content or the new, never a part.
import { type FileHandle, realpath, stat } from "node:fs/promises";
import { LlamaHooksError } from "../errors.js";
import { replaceFile } from "../platform.js";
import { throughTemporaryFile, writeSynced } from "./temporary-file.js";

/**
 * Writes a file that only its owner can read. A symbolic link is replaced, and its target stays as it is; with
 * `followsLink` the target is replaced, and the link stays. Errors: INVALID_ARGUMENT if the file cannot be written or
 * `path` is a folder, a device or a pipe; the old content then stays.
 */
export async function writeFileAtomically(
  path: string,
  text: string | Iterable<string>,
  { followsLink = false } = {},
): Promise<void> {
  try {
    const target = await replaceable(path);
    const file = followsLink ? target : path;
    const write = (handle: FileHandle): Promise<void> => writeSynced(handle, text);
    await throughTemporaryFile(file, write, (temporary) => replaceFile(temporary, file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LlamaHooksError("INVALID_ARGUMENT", `${path} cannot be written: ${why}`, { cause });
  }
}

/** Returns the path to replace if links are followed. Throws if something other than a file is there. */
export async function replaceable(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return path;
  if (!found.isFile()) throw new Error(found.isDirectory() ? "it is a folder" : "it is not a file");
  return realpath(path);
}
