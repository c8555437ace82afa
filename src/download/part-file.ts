// A partly downloaded file: resumes what an earlier download left, checks the received data, and moves the complete
// file to its place.
import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, rm, statfs } from "node:fs/promises";
import path from "node:path";
import type { LlamaHooksError } from "../base/errors.js";
import { checkGguf } from "../base/gguf-reader.js";
import { replaceFile } from "../base/platform.js";
import { Interrupted, interruptedBy } from "./attempts.js";
import { openFile, readText, writeText } from "./cache-files.js";
import { downloadFailed } from "./download-failed.js";
import { hashOf } from "./file-hash.js";
import { type Access, bare, isBusy, reasonOf, refusal } from "./http.js";
import type { RemoteFile } from "./hub.js";

export interface FetchedFile {
  readonly size: number;
  readonly sha256: string;
}

/** Identifies the file that a part belongs to. */
interface PartNote {
  readonly sha256?: string;
  readonly etag?: string;
}

/** A partly downloaded file, beside its final place, with a note about the file that it belongs to. */
export class PartFile {
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
    const part = new PartFile(file, await openFile(file, constants.O_RDWR | constants.O_CREAT), expected);
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

  /** Reads the headers of an answer. True: bytes of the file follow, and the caller reads them. */
  async begin(response: Response, access: Access): Promise<boolean> {
    const { status, headers } = response;
    const { url, size: expected } = this.#expected;
    const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(headers.get("content-range") ?? "");
    if (status === 416 && Number(range?.[2]) === this.size) {
      this.total = this.size; // everything was received before
      return false;
    }
    const etag = headers.get("etag");
    const other = status === 206 && (Number(range?.[1]) !== this.size || this.#isOther(etag, Number(range?.[2])));
    if (status === 416 || isBusy(status) || other) {
      if (status === 416 || other) await this.#startAgain();
      throw interruptedBy(response, url);
    }
    if (!response.ok) throw await refusal(response, access);
    if (status !== 206 && this.size > 0) await this.#startAgain();
    const length = headers.get("content-length");
    const said = status === 206 ? Number(range?.[2]) : length === null ? undefined : Number(length);
    if (said !== undefined && expected !== undefined && said !== expected)
      throw downloadFailed(`${bare(url)} has ${said} bytes, expected ${expected}`);
    this.total = said ?? expected;
    if (this.total !== undefined) await this.#checkRoom(this.total - this.size);
    // A weak ETag does not identify the bytes.
    this.#etag = etag === null || etag.startsWith("W/") ? undefined : etag;
    await this.#note();
    return true;
  }

  /** A server may ignore If-Range. With the hub's SHA-256 the final check finds that. */
  #isOther(etag: string | null, total: number): boolean {
    if (this.#expected.sha256 !== undefined) return false;
    const changed = this.#etag !== undefined && etag !== this.#etag;
    return changed || (this.total !== undefined && total !== this.total);
  }

  /** Called at the end of an answer. */
  end(): void {
    this.total ??= this.size;
    if (this.size < this.total) throw new Interrupted(`${bare(this.#expected.url)} ended after ${this.size} bytes`);
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.size === 0) checkMagic(chunk, this.#expected.url);
    if (this.total !== undefined && this.size + chunk.length > this.total)
      throw downloadFailed(`${bare(this.#expected.url)} sent more than its ${this.total} bytes`);
    await this.#handle.write(chunk, 0, chunk.length, this.size);
    this.#hash.update(chunk);
    this.size += chunk.length;
  }

  /** Checks the complete file and moves it to its place. */
  async finish(target: string): Promise<FetchedFile> {
    if (this.size === 0) throw downloadFailed(`${bare(this.#expected.url)} sent an empty file`);
    const sha256 = this.#hash.digest("hex");
    const wanted = this.#expected.sha256;
    if (wanted !== undefined && sha256 !== wanted) {
      await this.close();
      await this.remove();
      throw downloadFailed(
        `the file from ${bare(this.#expected.url)} is damaged: SHA-256 ${sha256}, expected ${wanted}`,
      );
    }
    await this.#handle.sync();
    const { size } = await this.#handle.stat();
    await this.close();
    if (size !== this.size) {
      await this.remove();
      throw downloadFailed(
        `${this.#path} has ${size} bytes, but ${this.size} were written: another program also writes to it`,
      );
    }
    await checkGguf(this.#path).catch(async (error: unknown) => {
      await this.remove(); // resuming would not help: the server sent as many bytes as it announced
      throw downloadFailed(`${bare(this.#expected.url)} did not send a complete GGUF file: ${reasonOf(error)}`, {
        cause: error,
      });
    });
    await replaceFile(this.#path, target);
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

  /** Resumes what an earlier download left, if it belongs to the same file. */
  async #takeUp(): Promise<void> {
    const note = await readNote(this.#notePath);
    await this.#handle.chmod(0o600); // an earlier version let others read it
    const { size } = await this.#handle.stat();
    const { sha256, size: whole } = this.#expected;
    const same = sha256 === undefined ? note?.etag !== undefined : note?.sha256 === sha256;
    if (size === 0 || !same || (whole !== undefined && size > whole)) return this.#startAgain();
    this.#hash = await hashOf(this.#handle);
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
    await writeText(this.#notePath, JSON.stringify(note));
  }

  async #checkRoom(wanted: number): Promise<void> {
    const { bavail, bsize } = await statfs(path.dirname(this.#path));
    const free = bavail * bsize;
    if (wanted > free) throw full(`${path.dirname(this.#path)} has ${free} bytes free, but ${wanted} are needed`);
  }
}

async function readNote(file: string): Promise<PartNote | undefined> {
  try {
    return JSON.parse(await readText(file)) as PartNote;
  } catch {
    return undefined; // no note, or one that a crash truncated: the part is worthless then
  }
}

/** An error page in place of a model is detected at its first bytes, not after an hour. */
function checkMagic(chunk: Uint8Array, url: URL): void {
  const begins = Buffer.from(chunk.subarray(0, 4)).toString("latin1");
  if (!"GGUF".startsWith(begins)) throw downloadFailed(`${bare(url)} did not send a GGUF file`);
}

function full(message: string): LlamaHooksError {
  return downloadFailed(message, { cause: Object.assign(new Error(message), { code: "ENOSPC" }) });
}
