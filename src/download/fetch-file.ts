// Downloads one file: resumes, reconnects after an interruption, and gives up when no data arrives.
// Must not: be called twice for one target at a time; the cache's lock prevents that.
import { LlamaHooksError } from "../base/errors.js";
import { Attempts, Interrupted } from "./attempts.js";
import { plainFile } from "./cache-files.js";
import { downloadFailed } from "./download-failed.js";
import { type Access, bare, get, reasonOf } from "./http.js";
import type { RemoteFile } from "./hub.js";
import { sha256Of } from "./file-hash.js";
import { type FetchedFile, PartFile } from "./part-file.js";

/** Progress of one file. */
export interface FileProgress {
  /** Bytes present, including resumed ones. */
  readonly receivedBytes: number;
  /** Absent until the server has stated it. */
  readonly totalBytes?: number;
  /** Bytes of `receivedBytes` that an earlier download left. */
  readonly resumedBytes: number;
  /** Times that the connection was interrupted or the server was too busy. */
  readonly interruptions: number;
}

/** A server that sends nothing for this long counts as gone. */
const silenceMs = 60_000;

/** Downloads `file` to `target`, whose folder exists. Errors: DOWNLOAD_FAILED; the signal's reason if it aborts. */
export async function fetchFile(
  file: RemoteFile,
  target: string,
  access: Access,
  onProgress: (progress: FileProgress) => void,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const there = await sameFile(file, target, signal);
  if (there !== undefined) return there;
  const part = await PartFile.open(target, file);
  try {
    let interruptions = 0;
    const report = (): void =>
      onProgress({
        receivedBytes: part.size,
        ...(part.total !== undefined && { totalBytes: part.total }),
        resumedBytes: part.resumed,
        interruptions,
      });
    let most = part.size; // a server may force a restart, which does not count as progress
    const attempts = new Attempts();
    while (!part.isWhole()) {
      try {
        await fetchRest(file, part, access, report, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Interrupted)) throw error;
        const wasProgress = part.size > most;
        most = Math.max(most, part.size);
        interruptions += 1;
        report();
        await attempts.pause(error, wasProgress, signal);
      }
    }
    report();
    return await part.finish(target);
  } catch (error) {
    await part.close();
    // Received data is kept for the next attempt, unless the disk is full.
    if (isFull(error)) await part.remove();
    signal.throwIfAborted();
    throw isSystemError(error)
      ? downloadFailed(`${target} cannot be written: ${error.message}`, { cause: error })
      : error;
  }
}

/** Returns the file if another name has already brought the same one here. */
async function sameFile(
  { size, sha256 }: RemoteFile,
  target: string,
  signal: AbortSignal,
): Promise<FetchedFile | undefined> {
  const found = await plainFile(target);
  if (sha256 === undefined || found === undefined || found.size !== size) return undefined;
  return (await sha256Of(target, signal)) === sha256 ? { size: found.size, sha256 } : undefined;
}

async function fetchRest(
  file: RemoteFile,
  part: PartFile,
  access: Access,
  report: () => void,
  signal: AbortSignal,
): Promise<void> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error(`nothing came for ${silenceMs / 1000} s`)), silenceMs);
  const either = AbortSignal.any([silent.signal, signal]);
  const cut = (error: unknown): never => {
    if (error instanceof LlamaHooksError) throw error;
    const reason: unknown = silent.signal.aborted ? silent.signal.reason : error;
    // Another attempt would get the same redirects.
    if (/redirect/.test(reasonOf(reason)))
      throw downloadFailed(`${bare(file.url)}: ${reasonOf(reason)}`, { cause: reason });
    throw new Interrupted(`the connection to ${file.url.host} failed: ${reasonOf(reason)}`, { cause: reason });
  };
  try {
    const response = await get(file.url, access, part.rangeHeaders(), either).catch(cut);
    let follows = false;
    try {
      follows = await part.begin(response, access);
    } finally {
      if (!follows) await response.body?.cancel().catch(() => {});
    }
    if (!follows) return;
    const reader = response.body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read().catch(cut)) ?? { done: true, value: undefined };
      if (done) break;
      timer.refresh();
      try {
        await part.write(value);
        report();
      } catch (error) {
        await reader?.cancel().catch(() => {});
        throw error;
      }
    }
    part.end();
  } finally {
    clearTimeout(timer);
  }
}

/** Errors of the file system have a number; network errors of `fetch` do not. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "errno" in error && "syscall" in error;
}

function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  return [code, cause].some((one) => one === "ENOSPC" || one === "EDQUOT" || one === "EFBIG");
}
