// Creates, opens and checks files of the cache. Only the owner may read and write them, and links are never followed:
// a link below the cache folder could lead writes and deletions to any file of the user.
import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, rm } from "node:fs/promises";
import path from "node:path";
import type { LlamaHooksError } from "../base/errors.js";
import { isSamePath, removeFile, replaceFile } from "../base/platform.js";
import { downloadFailed } from "./download-failed.js";

const folderMode = 0o700;
const fileMode = 0o600;

/**
 * Creates `folder` and every missing folder above it. Below `top`, every part of the path must be a real folder; `top`
 * itself may be reached through links. Errors: DOWNLOAD_FAILED names the link.
 */
export async function makeFolders(top: string, folder: string): Promise<void> {
  await mkdir(top, { recursive: true, mode: folderMode });
  let at = top;
  for (const part of path.relative(top, folder).split(path.sep).filter(Boolean)) {
    at = path.join(at, part);
    await mkdir(at, { mode: folderMode }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    if ((await lstat(at)).isSymbolicLink()) throw isLink(at);
  }
}

/** Opens a file that may be missing. Errors: DOWNLOAD_FAILED if a link, a folder or a device has its name. */
export async function openFile(file: string, flags: number): Promise<FileHandle> {
  await plainFile(file); // opening a pipe would wait
  let handle: FileHandle;
  try {
    handle = await open(file, flags | constants.O_NOFOLLOW, fileMode);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? isLink(file) : error;
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw downloadFailed(`${file} is not a file: delete it`);
}

/** Describes a file; undefined if it is missing. Errors: DOWNLOAD_FAILED if a link or a device has its name. */
export async function plainFile(file: string): Promise<Stats | undefined> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (found?.isSymbolicLink() === true) throw isLink(file);
  if (found?.isFile() === false) throw downloadFailed(`${file} is not a file: delete it`);
  return found;
}

export async function readText(file: string): Promise<string> {
  const handle = await openFile(file, constants.O_RDONLY);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Writes a file atomically. Errors: DOWNLOAD_FAILED if a link has its name. */
export async function writeText(file: string, text: string): Promise<void> {
  await plainFile(file);
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    const handle = await openFile(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    await handle.writeFile(text).finally(() => handle.close());
    await replaceFile(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes a file, which may be missing. Errors: DOWNLOAD_FAILED names the file. */
export async function remove(file: string): Promise<void> {
  await removeFile(file).catch((cause: Error) => {
    throw downloadFailed(`${file} cannot be removed: ${cause.message}`, { cause });
  });
}

/** True if `file` is below `folder`, `folder` is below `top`, and no link is on the way from `top` to the file. */
export async function isInside(top: string, folder: string, file: string): Promise<boolean> {
  if (!isBelow(top, folder) || !isBelow(folder, file)) return false;
  try {
    const way = path.dirname(file);
    return isSamePath(await realpath(way), path.join(await realpath(top), path.relative(top, way)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}

function isBelow(top: string, file: string): boolean {
  const relative = path.relative(top, file);
  return relative !== "" && relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function isLink(file: string): LlamaHooksError {
  return downloadFailed(`${file} is a symbolic link, and downloads follow none: delete it`);
}
