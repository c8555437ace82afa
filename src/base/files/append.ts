// Appends to a file that the caller names, which may be a pipe. Must not: wait in a thread, for a pipe without a reader
// or that is full; such a thread keeps the process from ending.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The longest time for which the reader of a full pipe may rest. */
const mostRestMs = 10_000;
const longestPauseMs = 100;

/**
 * Appends a text. A file that is missing is created with `mode`. Errors: those of the system, ENXIO for a pipe
 * without a reader; an `Error` for one whose reader has read nothing for ten seconds.
 */
export async function appendText(file: string, text: string, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags, mode); // opened once: closing a pipe ends its reader's input
  try {
    const bytes = Buffer.from(text);
    let end = performance.now() + mostRestMs;
    for (let sent = 0, pauseMs = 1; sent < bytes.length;) {
      const written = await handle.write(bytes, sent).catch(nothingIfFull);
      if (written !== undefined) {
        sent += written.bytesWritten;
        [end, pauseMs] = [performance.now() + mostRestMs, 1];
        continue;
      }
      if (performance.now() > end) throw new Error(`${file}: the pipe is full, because its reader reads nothing`);
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  } finally {
    await handle.close();
  }
}

function nothingIfFull(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EAGAIN") throw error;
}
