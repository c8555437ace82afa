// Appends to a file that only this process writes. Must not: create it, or write to a pipe.
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { whileShared } from "../platform.js";
import { writeSynced } from "./temporary-file.js";

/**
 * Appends a text, and waits until the disk has it. False, with nothing written: the file is missing, has another size
 * than `size` or is not a regular file. Errors: those of the system; a part of the text may then be in the file.
 */
export async function appendSynced(file: string, size: number, text: string): Promise<boolean> {
  if (!(await hasSize(file, size))) return false;
  // Windows, where a file cannot become a pipe, has no O_NONBLOCK.
  const flags = constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);
  const handle = await whileShared(() => open(file, flags));
  try {
    await writeSynced(handle, text);
  } finally {
    await handle.close();
  }
  return true;
}

async function hasSize(file: string, size: number): Promise<boolean> {
  try {
    const found = await whileShared(() => stat(file));
    return found.isFile() && found.size === size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
