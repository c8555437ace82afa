// Saved traces and recordings that the page opens by itself. The page reads and checks them, like files that are dropped
// on it.
import { open } from "node:fs/promises";
import path from "node:path";
import { LlamaHooksError } from "../../index.js";

/** A file that the page can ask for. */
export interface OpenFile {
  readonly name: string;
  /** Errors: NOT_FOUND if it cannot be read any more. */
  read(): Promise<string>;
}

/** Bytes of one file: a trace of `--trace-file` has at most about 100 MB. */
const mostBytes = 256 * 1024 * 1024;

/** Errors: NOT_FOUND if it cannot be read, or is no file; INVALID_ARGUMENT if it is too long. */
export async function openFile(file: string): Promise<OpenFile> {
  await readFile(file, false);
  return { name: path.basename(file), read: () => readFile(file, true) };
}

async function readFile(file: string, whole: boolean): Promise<string> {
  let handle;
  try {
    handle = await open(file);
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error("it is no file");
    if (stat.size > mostBytes)
      throw new LlamaHooksError("INVALID_ARGUMENT", `${file} has more than ${mostBytes} bytes, too many for the page`);
    return whole ? await handle.readFile("utf8") : "";
  } catch (cause) {
    if (cause instanceof LlamaHooksError) throw cause;
    throw new LlamaHooksError("NOT_FOUND", `${file} cannot be read: ${(cause as Error).message}`, { cause });
  } finally {
    await handle?.close();
  }
}
