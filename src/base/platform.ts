// Files and names where systems differ: the user's cache folder, names that a system refuses, and what Windows does
// with a file that is open.
import { open, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const isWindows = process.platform === "win32";
/** True if file systems of this system usually take `a` and `A` for one name. */
const ignoresCase = isWindows || process.platform === "darwin";

/** The folder for what can be downloaded or computed again. A relative path in a variable is ignored. */
export function userCacheFolder(name: string): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const xdg = absolute(XDG_CACHE_HOME);
  if (xdg !== undefined) return path.join(xdg, name);
  if (isWindows) return path.join(absolute(LOCALAPPDATA) ?? path.join(homedir(), "AppData", "Local"), name, "Cache");
  if (process.platform === "darwin") return path.join(homedir(), "Library", "Caches", name);
  return path.join(homedir(), ".cache", name);
}

function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}

/** True if both paths are one, spelled alike or in another case where the system usually ignores case. */
export function isSamePath(one: string, other: string): boolean {
  return ignoresCase ? one.toLowerCase() === other.toLowerCase() : one === other;
}

/** True if Windows takes the name for a device, for which it reads only the part before the first dot. */
export function isDeviceName(name: string): boolean {
  return isWindows && /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ .]*(?:\.|$)/i.test(name);
}

/** True if the system can have a file of this name, and has it under this name and no other. */
export function isFileName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) return false;
  // oxlint-disable-next-line no-control-regex
  return !isWindows || !(/[\u0000-\u001f<>:"\\|?*]|[. ]$/.test(name) || isDeviceName(name));
}

/**
 * Runs `work`, which must be repeatable. On Windows a program that looks through new files, such as a virus scanner,
 * has them open for a moment, and a deleted file stays until all programs have closed it. There, `work` is repeated for
 * a fifth of a second while it fails for that reason; then its error is thrown.
 */
export async function whileShared<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; ++tries) {
    try {
      return await work();
    } catch (error) {
      if (!isHeld(error) || tries === 20) throw error;
      await sleep(10);
    }
  }
}

/** True if another program has the file open and does not share it. Windows has the same error for a missing right. */
export function isHeld(error: unknown): boolean {
  return isWindows && ["EPERM", "EACCES", "EBUSY"].includes(String((error as NodeJS.ErrnoException).code));
}

/** Moves a file into the place of another, which may exist. On an error both stay as they are. */
export function replaceFile(from: string, to: string): Promise<void> {
  return inUse(to, () => rename(from, to));
}

/** Removes a file, which may be missing. */
export function removeFile(file: string): Promise<void> {
  return inUse(file, () => rm(file, { force: true }));
}

/** On Windows `EPERM: operation not permitted` says neither which file nor why. */
async function inUse(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await whileShared(work);
  } catch (cause) {
    if (!isHeld(cause)) throw cause;
    const why = "a program has it open, such as one that has loaded a model from it, or you may not change it";
    const { code } = cause as NodeJS.ErrnoException;
    throw Object.assign(new Error(`${why} (${code})`, { cause }), { code, path: file });
  }
}

/** Makes the names in a folder survive a loss of power. Windows writes them through, and opens no folder for that. */
export async function syncFolder(folder: string): Promise<void> {
  if (isWindows) return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
