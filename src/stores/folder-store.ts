// Sessions in a folder: a file for each session, and one for each lease.
import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, stat, unlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { writeFileAtomically } from "../base/atomic-write.js";
import { requiredString } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { isDeviceName, syncFolder, whileShared } from "../base/platform.js";
import {
  type LeaseAnswer,
  type LeaseRequest,
  matchesQuery,
  microseconds,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  type StoredRecord,
} from "./session-store.js";
import { fileText, infoOfDamaged, readInfo, readStored } from "./stored-file.js";

/** The number of files that a list reads at the same time. */
const readsAtOnce = 32;

/** The files of one session, by the number of the lease under which each was written, the greatest first. */
interface Files {
  readonly records: number[];
  readonly leases: number[];
  /** Parts that a process that died has left. */
  readonly parts: string[];
}

/**
 * Returns a store that keeps each session in a file of the folder: `<id>~<number>.json`, which only its owner can read
 * and which is replaced atomically. The folder is created when it is needed, for its owner only. A file that
 * `session.save()` wrote is a stored session, too, if it is named `<id>.json`. In names of files `+a` stands for `A`.
 * Processes of one machine may share the folder.
 */
export function folderStore(folder: string): SessionStore {
  return new FolderStore(path.resolve(requiredString(folder, "The folder of folderStore()")));
}

// A file system cannot write a file on the condition that another one is there. So the number of the lease is part of
// the name: a process that has lost its lease writes a file that nobody reads any more.
class FolderStore implements SessionStore {
  readonly name: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.name = `the folder ${folder}`;
    this.#folder = folder;
  }

  async load(id: string): Promise<StoredRecord | undefined> {
    const [newest] = (await this.#filesOf(id)).records;
    return newest === undefined ? undefined : readStored(this.#record(id, newest), id);
  }

  async save(session: StoredRecord, fence: number): Promise<boolean> {
    const { id } = session;
    const lease = this.#lease(id, fence);
    if (!(await exists(lease))) return false;
    await writeFileAtomically(this.#record(id, fence), fileText(session));
    await syncFolder(this.#folder);
    // A process that takes over removes this lease before it reads, so it reads what was written if the lease is still there.
    if (!(await exists(lease))) return false;
    for (const old of (await this.#filesOf(id)).records) if (old < fence) await remove(this.#record(id, old));
    return true;
  }

  async list(query: SessionQuery): Promise<readonly SessionInfo[]> {
    const newest = new Map<string, number>();
    for (const name of await this.#names()) {
      const { id, fence, kind } = partsOf(name);
      if (kind === "json") newest.set(id, Math.max(newest.get(id) ?? 0, fence));
    }
    const infos: SessionInfo[] = [];
    const waiting = [...newest];
    const read = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        infos.push(...(await this.#info(...next)));
    };
    await Promise.all(Array.from({ length: readsAtOnce }, read));
    return infos
      .filter((info) => matchesQuery(info, query))
      .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))
      .slice(0, query.limit);
  }

  async delete(id: string, fence: number): Promise<boolean> {
    if (!(await exists(this.#lease(id, fence)))) return false;
    const { records } = await this.#filesOf(id);
    if (records.length === 0) return false;
    for (const one of records.toReversed()) await remove(this.#record(id, one)); // the newest last
    await remove(this.#lease(id, 0)); // before the lease, so that its number is not given out again
    await remove(this.#lease(id, fence));
    await syncFolder(this.#folder);
    return true;
  }

  async acquire(id: string, request: LeaseRequest): Promise<LeaseAnswer> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (request.dead !== undefined) await this.release(id, request.dead);
    for (;;) {
      const { records, leases } = await this.#filesOf(id);
      const held = await this.#held(id, leases);
      if (held !== undefined) return held;
      // All that ask now propose the same number, and one of them can create the file.
      const fence = Math.max(await this.#seed(id), leases[0] ?? 0, records[0] ?? 0) + 1;
      if (!(await this.#create(this.#lease(id, fence), request.holder, Date.now() + request.ttlMs))) continue;
      if (await this.#isNewest(id, fence)) return { fence };
      await remove(this.#lease(id, fence)); // meanwhile others have taken and returned it, or deleted the session
    }
  }

  async renew(id: string, fence: number, ttlMs: number): Promise<boolean> {
    return found(() => expireAt(this.#lease(id, fence), Date.now() + ttlMs));
  }

  /** The file stays, so that numbers grow. */
  async release(id: string, fence: number): Promise<void> {
    await found(() => expireAt(this.#lease(id, fence), 0));
  }

  /** The number after which leases are numbered: the time at which the first one was asked for. */
  async #seed(id: string): Promise<number> {
    const file = this.#lease(id, 0);
    for (;;) {
      await this.#create(file, String(microseconds()));
      try {
        return Number(await whileShared(() => readFile(file, "utf8")));
      } catch (error) {
        if (!isMissing(error)) throw error; // else the session was deleted
      }
    }
  }

  /** Of the newest lease, removes what it replaces. */
  async #isNewest(id: string, fence: number): Promise<boolean> {
    const { records, leases, parts } = await this.#filesOf(id);
    if (leases[0] !== fence || fence <= (await this.#seed(id))) return false;
    for (const one of leases.slice(1)) await remove(this.#lease(id, one));
    for (const one of records.slice(1)) await remove(this.#record(id, one));
    for (const part of parts) await remove(path.join(this.#folder, part));
    return true;
  }

  /** The lease that has not expired, if there is one. */
  async #held(id: string, leases: readonly number[]): Promise<LeaseAnswer | undefined> {
    for (const fence of leases) {
      const file = this.#lease(id, fence);
      try {
        const [heldBy, { mtimeMs }] = await whileShared(() => Promise.all([readFile(file, "utf8"), stat(file)]));
        const expiresInMs = mtimeMs - Date.now();
        if (expiresInMs > 0) return { heldBy, fence, expiresInMs };
      } catch (error) {
        if (!isMissing(error)) throw error; // else it was released meanwhile
      }
    }
    return undefined;
  }

  /** Creates a file with its content. False: it is there already. */
  async #create(file: string, content: string, expiresAt = 0): Promise<boolean> {
    const part = `${file}.${randomUUID()}.tmp`;
    await writeFile(part, content, { flag: "wx", mode: 0o600 });
    try {
      await expireAt(part, expiresAt);
      await whileShared(() => link(part, file));
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST") || isMissing(error)) return false; // who got the lease has removed the part
      throw error;
    } finally {
      await remove(part);
    }
  }

  async #info(id: string, fence: number): Promise<SessionInfo[]> {
    const file = this.#record(id, fence);
    try {
      return [await readInfo(file, id)];
    } catch (error) {
      if (isMissing(error)) return []; // it was deleted, or saved under a new lease
      if (!(error instanceof LlamaHooksError)) throw error;
      return [await infoOfDamaged(file, id, error)];
    }
  }

  async #filesOf(id: string): Promise<Files> {
    const files: Files = { records: [], leases: [], parts: [] };
    for (const name of await this.#names()) {
      const { id: of, fence, kind } = partsOf(name);
      if (of !== id) continue;
      if (kind === "json") files.records.push(fence);
      else if (kind === "lease" && fence > 0) files.leases.push(fence);
      else if (kind === "tmp") files.parts.push(name);
    }
    files.records.sort((a, b) => b - a);
    files.leases.sort((a, b) => b - a);
    return files;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #record(id: string, fence: number): string {
    return path.join(this.#folder, `${nameOf(id)}${fence === 0 ? "" : `~${fence}`}.json`);
  }

  #lease(id: string, fence: number): string {
    return path.join(this.#folder, `${nameOf(id)}~${fence}.lease`);
  }
}

/** Some file systems do not tell `a` from `A`. A `+` before the first dot, or at the end, makes no device of a name. */
function nameOf(id: string): string {
  const name = id.replaceAll(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
  return isDeviceName(id) ? name.replace(/(?=\.)|$/, "+") : name;
}

/** `kind` is undefined for files that are not of a store. */
function partsOf(name: string): { readonly id: string; readonly fence: number; readonly kind: string | undefined } {
  const [, of = "", fence = "0", kind] =
    /^([a-z0-9+][a-z0-9+_.-]*?)(?:~(\d{1,16}))?\.(json|lease|(?:json|lease)\.[^~]*\.tmp)$/.exec(name) ?? [];
  const id = of.replaceAll(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/\+(?=\.|$)/, "");
  return { id, fence: Number(fence), kind: kind?.endsWith(".tmp") === true ? "tmp" : kind };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

/** False if the file is not there. */
async function found(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await whileShared(work);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The time of a lease's file is the time when the lease expires. */
function expireAt(file: string, time: number): Promise<void> {
  return utimes(file, new Date(time), new Date(time));
}

function exists(file: string): Promise<boolean> {
  return found(() => stat(file));
}

async function remove(file: string): Promise<void> {
  await found(() => unlink(file));
}
