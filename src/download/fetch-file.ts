// Fetches one file: takes up what is there, goes on after a cut connection, checks what came, and puts it in its place
// when it is whole. Must not: know what a file is for, or share a folder with another process (the cache's lock does).
import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LlamaHooksError } from "../base/errors.js";
import { type Access, bare, get, reasonOf, refusal } from "./http.js";
import type { RemoteFile } from "./hub.js";

/** What a download has come to. */
export interface FileProgress {
  readonly receivedBytes: number;
  /** Absent while the server has not said it. */
  readonly totalBytes?: number;
  /** Bytes of `receivedBytes` that an earlier download left. */
  readonly resumedBytes: number;
  /** How many times the connection was cut, or the server was too busy. */
  readonly interruptions: number;
}

export interface FetchedFile {
  readonly size: number;
  readonly sha256: string;
}

/** Breaks without a byte in between, before it is given up. */
const maxBreaks = 5;
/** A server that says nothing for this long is gone. */
const silenceMs = 60_000;
const firstPauseMs = 300;

/** What is known of a part of a file: which file it is of. */
interface PartNote {
  readonly sha256?: string;
  readonly etag?: string;
}

/** Throws what is worth another attempt. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Fetches `file` to `target`. Errors: DOWNLOAD_FAILED; what the signal was aborted with. */
export async function fetchFile(
  file: RemoteFile,
  target: string,
  access: Access,
  onProgress: (progress: FileProgress) => void,
  signal?: AbortSignal,
): Promise<FetchedFile> {
  await mkdir(path.dirname(target), { recursive: true });
  const there = await sameFile(file, target);
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
    let most = part.size; // a server may have it begin again, which is no progress
    for (let breaks = 0; !part.isWhole();) {
      try {
        await fetchRest(file, part, access, report, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof Interrupted)) throw error;
        breaks = part.size > most ? 1 : breaks + 1;
        most = Math.max(most, part.size);
        if (breaks > maxBreaks) throw failed(`${reasonOf(error)}, ${breaks} times in a row`, error.cause ?? error);
        interruptions += 1;
        report();
        await sleep(firstPauseMs * 2 ** (breaks - 1), undefined, { ...(signal && { signal }) });
      }
    }
    report();
    return await part.finish(target);
  } catch (error) {
    await part.close();
    // What was received stays for the next time, unless there is no room for it.
    if (isFull(error)) await part.remove();
    signal?.throwIfAborted();
    throw isSystemError(error) ? failed(`${target} cannot be written: ${error.message}`, error) : error;
  }
}

/** The file that another name has brought here, if it is that one. */
async function sameFile({ size, sha256 }: RemoteFile, target: string): Promise<FetchedFile | undefined> {
  const found = await stat(target).catch(() => undefined);
  if (sha256 === undefined || found === undefined || found.size !== size) return undefined;
  return (await hashOf(target)) === sha256 ? { size: found.size, sha256 } : undefined;
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}

async function fetchRest(
  file: RemoteFile,
  part: PartFile,
  access: Access,
  report: () => void,
  signal?: AbortSignal,
): Promise<void> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error(`nothing came for ${silenceMs / 1000} s`)), silenceMs);
  const either = AbortSignal.any([silent.signal, ...(signal ? [signal] : [])]);
  const cut = (error: unknown): never => {
    const reason: unknown = silent.signal.aborted ? silent.signal.reason : error;
    // Nobody mends that by asking again.
    if (/redirect/.test(reasonOf(reason))) throw failed(`${bare(file.url)}: ${reasonOf(reason)}`, reason);
    throw new Interrupted(`the connection to ${file.url.host} failed: ${reasonOf(reason)}`, { cause: reason });
  };
  try {
    const response = await get(file.url, access, part.rangeHeaders(), either).catch(cut);
    const follows = await part.begin(response, access).catch(async (error: unknown) => {
      await response.body?.cancel().catch(() => {});
      throw error;
    });
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

/** What has come of a file, beside the place where it goes, with a note about which file it is of. */
class PartFile {
  size = 0;
  total: number | undefined;
  resumed = 0;
  readonly #path: string;
  readonly #expected: RemoteFile;
  #handle: FileHandle;
  #hash: Hash = createHash("sha256");
  #etag: string | undefined;

  private constructor(file: string, handle: FileHandle, expected: RemoteFile) {
    this.#path = file;
    this.#handle = handle;
    this.#expected = expected;
    this.total = expected.size;
  }

  static async open(target: string, expected: RemoteFile): Promise<PartFile> {
    const file = `${target}.part`;
    const part = new PartFile(file, await open(file, constants.O_RDWR | constants.O_CREAT), expected);
    try {
      await part.#takeUp();
      return part;
    } catch (error) {
      await part.close();
      throw error;
    }
  }

  isWhole(): boolean {
    return this.size === this.total;
  }

  rangeHeaders(): Record<string, string> {
    if (this.size === 0) return {};
    return {
      range: `bytes=${this.size}-`,
      ...(this.#etag !== undefined && !this.#expected.sha256 && { "if-range": this.#etag }),
    };
  }

  /** Takes what the answer says about the file. True if bytes of it follow. */
  async begin(response: Response, access: Access): Promise<boolean> {
    const { status, headers } = response;
    const { url, size: expected } = this.#expected;
    const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(headers.get("content-range") ?? "");
    if (status === 416 && Number(range?.[2]) === this.size) {
      // All of it had come before.
      await response.body?.cancel();
      this.total = this.size;
      return false;
    }
    const etag = headers.get("etag");
    const other = status === 206 && (Number(range?.[1]) !== this.size || this.#isOther(etag, Number(range?.[2])));
    if (status === 416 || status === 429 || status >= 500 || other) {
      await response.body?.cancel();
      if (status === 416 || other) await this.#startAgain();
      throw new Interrupted(`${bare(url)} answered ${status} ${response.statusText}`.trim());
    }
    if (!response.ok) throw await refusal(response, access);
    if (status !== 206 && this.size > 0) await this.#startAgain();
    const length = headers.get("content-length");
    const said = status === 206 ? Number(range?.[2]) : length === null ? undefined : Number(length);
    if (said !== undefined && expected !== undefined && said !== expected) {
      await response.body?.cancel();
      throw failed(`${bare(url)} has ${said} bytes, and should have ${expected}`);
    }
    this.total = said ?? expected;
    if (this.total !== undefined) await this.#checkRoom(this.total - this.size);
    // A weak one says nothing about bytes.
    this.#etag = etag === null || etag.startsWith("W/") ? undefined : etag;
    await this.#note();
    return true;
  }

  /** A server may ignore that a range was asked for of a certain file. With the hub's SHA-256 the end will tell. */
  #isOther(etag: string | null, total: number): boolean {
    if (this.#expected.sha256 !== undefined) return false;
    const changed = this.#etag !== undefined && etag !== this.#etag;
    return changed || (this.total !== undefined && total !== this.total);
  }

  /** The answer is over. */
  end(): void {
    this.total ??= this.size;
    if (this.size < this.total) throw new Interrupted(`${bare(this.#expected.url)} ended after ${this.size} bytes`);
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.size === 0) checkMagic(chunk, this.#expected.url);
    if (this.total !== undefined && this.size + chunk.length > this.total)
      throw failed(`${bare(this.#expected.url)} sent more than its ${this.total} bytes`);
    await this.#handle.write(chunk, 0, chunk.length, this.size);
    this.#hash.update(chunk);
    this.size += chunk.length;
  }

  /** Checks what came, and puts it in its place. */
  async finish(target: string): Promise<FetchedFile> {
    if (this.size === 0) throw failed(`what ${bare(this.#expected.url)} sends is empty`);
    const sha256 = this.#hash.digest("hex");
    const wanted = this.#expected.sha256;
    if (wanted !== undefined && sha256 !== wanted) {
      await this.close();
      await this.remove();
      throw failed(`what came from ${bare(this.#expected.url)} is damaged: SHA-256 ${sha256}, and should be ${wanted}`);
    }
    await this.#handle.sync();
    const { size } = await this.#handle.stat();
    await this.close();
    if (size !== this.size) {
      await this.remove();
      throw failed(`${this.#path} has ${size} bytes, and ${this.size} were written: another program writes it, too`);
    }
    await rename(this.#path, target);
    await rm(this.#notePath, { force: true });
    return { size: this.size, sha256 };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
    await rm(this.#notePath, { force: true });
  }

  get #notePath(): string {
    return `${this.#path}.json`;
  }

  /** Goes on with what an earlier download left, if it is of the same file. */
  async #takeUp(): Promise<void> {
    const note = await readNote(this.#notePath);
    const { size } = await this.#handle.stat();
    const { sha256, size: whole } = this.#expected;
    const same = sha256 === undefined ? note?.etag !== undefined : note?.sha256 === sha256;
    if (size === 0 || !same || (whole !== undefined && size > whole)) return this.#startAgain();
    for await (const chunk of createReadStream(this.#path) as AsyncIterable<Buffer>) this.#hash.update(chunk);
    this.#etag = note?.etag;
    this.size = this.resumed = size;
  }

  async #startAgain(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash("sha256");
    this.size = this.resumed = 0;
    this.total = this.#expected.size;
    this.#etag = undefined;
  }

  async #note(): Promise<void> {
    const { sha256 } = this.#expected;
    const note: PartNote = {
      ...(sha256 !== undefined && { sha256 }),
      ...(this.#etag !== undefined && { etag: this.#etag }),
    };
    await writeFile(this.#notePath, JSON.stringify(note));
  }

  async #checkRoom(wanted: number): Promise<void> {
    const { bavail, bsize } = await statfs(path.dirname(this.#path));
    const free = bavail * bsize;
    if (wanted > free) throw full(`${path.dirname(this.#path)} has ${free} bytes free, and ${wanted} are needed`);
  }
}

async function readNote(file: string): Promise<PartNote | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as PartNote;
  } catch {
    return undefined; // none, or one that a crash cut off: the part is worth nothing then
  }
}

/** A page of words in place of a model is told at its first bytes, not after an hour. */
function checkMagic(chunk: Uint8Array, url: URL): void {
  const begins = Buffer.from(chunk.subarray(0, 4)).toString("latin1");
  if (!"GGUF".startsWith(begins)) throw failed(`what ${bare(url)} sends is no GGUF file`);
}

/** Errors of the file system have a number; those of the network that `fetch` throws do not. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "errno" in error && "syscall" in error;
}

function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  return [code, cause].some((one) => one === "ENOSPC" || one === "EDQUOT" || one === "EFBIG");
}

function full(message: string): LlamaHooksError {
  return failed(message, Object.assign(new Error(message), { code: "ENOSPC" }));
}

function failed(message: string, cause?: unknown): LlamaHooksError {
  return new LlamaHooksError("DOWNLOAD_FAILED", message, cause === undefined ? {} : { cause });
}
