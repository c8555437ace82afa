// Hashes files.
import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openFile } from "./cache-files.js";

/** The SHA-256 of a file's content, to which more data can be added. Throws the signal's reason if it aborts. */
export async function hashOf(handle: FileHandle, signal?: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  const stream = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    hash.update(chunk);
  }
  return hash;
}

/** The SHA-256 of a file in hexadecimal. Throws the signal's reason if it aborts. */
export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  const handle = await openFile(file, constants.O_RDONLY);
  try {
    return (await hashOf(handle, signal)).digest("hex");
  } finally {
    await handle.close();
  }
}
