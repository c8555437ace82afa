// Saved traces and recordings that the page opens by itself. The page reads and checks them, like files that are
// dropped on it.
import path from "node:path";
import { openRegularFile, readRegularText } from "../../base/files/regular-file.js";
import { LlamaHooksError } from "../../index.js";

/** A file that the page can ask for. */
export interface OpenFile {
  readonly name: string;
  /** Errors: NOT_FOUND if it cannot be read any more. */
  read(): Promise<string>;
}

/** Bytes of one file: a trace of `--trace-file` has at most about 100 MB. */
const mostBytes = 256 * 1024 * 1024;

/** Errors: NOT_FOUND if it cannot be read, or is not a regular file; INVALID_ARGUMENT if it is too long. */
export async function openFile(file: string): Promise<OpenFile> {
  await reading(file, async () => {
    const handle = await openRegularFile(file);
    const { size } = await handle.stat().finally(() => handle.close());
    if (size <= mostBytes) return;
    throw new LlamaHooksError("INVALID_ARGUMENT", `${file} has more than ${mostBytes} bytes, too many for the page`);
  });
  return { name: path.basename(file), read: () => reading(file, () => readRegularText(file, mostBytes)) };
}

async function reading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof LlamaHooksError) throw cause;
    throw new LlamaHooksError("NOT_FOUND", `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
