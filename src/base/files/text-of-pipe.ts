// Reads a pipe that the user of a command names: `--api-key-file <(pass show keys)`. Must not: wait in a thread, as the
// read of a file does; it would keep the process from ending. Everything else in the package refuses pipes.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";

/** The bounds that end the read of a pipe. */
export interface PipeBounds {
  readonly mostBytes: number;
  /** Milliseconds in which the writer must close the pipe. */
  readonly mostMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Returns what is written into a pipe until its writer closes it, as text in UTF-8. Undefined: the file is not a pipe,
 * or does not exist. Errors: those of the system; an `Error` that names the exceeded bound; the reason of the signal.
 */
export async function textOfPipe(file: string, bounds: PipeBounds): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFIFO() !== true) return undefined;
  const pipe = openPipe(file);
  return pipe && (await readToEnd(pipe, bounds));
}

/** Undefined: the file has been replaced since the check, and is not a pipe. */
function openPipe(file: string): Socket | undefined {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK); // without a wait for its writer
  try {
    if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false }); // closes it
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

function readToEnd(pipe: Socket, { mostBytes, mostMs, signal }: PipeBounds): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const late = setTimeout(() => pipe.destroy(new Error(`its writer has not closed it in ${mostMs} ms`)), mostMs);
    const abort = (): void => void pipe.destroy(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    pipe.on("data", (part) => {
      parts.push(part);
      length += part.length;
      if (length > mostBytes) pipe.destroy(new Error(`it has more than ${mostBytes} bytes`));
    });
    pipe.on("end", () => resolve(Buffer.concat(parts).toString("utf8")));
    pipe.on("error", reject);
    pipe.on("close", () => {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    });
  });
}
