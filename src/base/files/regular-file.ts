// Reads files that the caller names. Must not: wait. Opening a pipe waits for its writer, in a thread that keeps the
// process from ending, and a device may be endless.
import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** The maximum bytes of a string. */
const mostOfText = 512 * 1024 * 1024 - 32;
/** The size of the later reads, of a file that has grown. */
const partBytes = 1 << 16;

/** Says for messages which other kind of file it is: `it is a pipe`. Undefined: it is a regular file. */
function otherKind(found: Stats): string | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return "it is a folder";
  if (found.isFIFO()) return "it is a pipe";
  return found.isSocket() ? "it is a socket" : "it is a device";
}

function check(found: Stats): void {
  const kind = otherKind(found);
  if (kind !== undefined) throw new Error(kind);
}

/** Throws, with the reason, unless a regular file can be opened. For files that other code opens, such as modules. */
export function checkRegularFile(file: string): void {
  check(statSync(file));
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    check(fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file to read it. Errors: those of the system; an `Error` with the reason if it is not a regular file. */
export async function openRegularFile(file: string): Promise<FileHandle> {
  check(await stat(file)); // opening a device may have an effect
  // The file may have been replaced since the check. Windows, where a file cannot become a pipe, has no such flag.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    check(found);
    // Files of /proc have no size, and some are endless.
    if (found.size === 0 && (await handle.read(Buffer.alloc(1), 0, 1, 0)).bytesRead > 0)
      throw new Error("it is no regular file, because it has bytes beyond its size");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a whole file of at most `mostBytes` bytes. Errors: as `openRegularFile()`; an `Error` if it is longer. */
export async function readRegularFile(file: string, mostBytes: number): Promise<Buffer> {
  const handle = await openRegularFile(file);
  try {
    return await readWhole(handle, mostBytes);
  } finally {
    await handle.close();
  }
}

/** Like `readRegularFile()`, as text in UTF-8; at most the size of a string. */
export async function readRegularText(file: string, mostBytes: number = mostOfText): Promise<string> {
  return (await readRegularFile(file, mostBytes)).toString("utf8");
}

async function readWhole(handle: FileHandle, mostBytes: number): Promise<Buffer> {
  const tooLong = (): Error => new Error(`it has more than ${mostBytes} bytes`);
  const { size } = await handle.stat();
  if (size > mostBytes) throw tooLong();
  const parts: Buffer[] = [];
  // The file may grow meanwhile: it ends where nothing is left to read. The first part mostly reaches the end.
  for (let length = 0, room = size + 1; ; room = partBytes) {
    const part = Buffer.allocUnsafe(room);
    const { bytesRead } = await handle.read(part, 0, room, length);
    length += bytesRead;
    if (length > mostBytes) throw tooLong();
    parts.push(part.subarray(0, bytesRead));
    const isEnd = bytesRead === 0 || (length >= size && bytesRead < room);
    if (isEnd) return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }
}
