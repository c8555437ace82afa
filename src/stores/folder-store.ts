// Sessions in a folder: a file for each session, and one for each lease.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { requiredString } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { appendSynced } from "../base/files/append-synced.js";
import { writeFileAtomically } from "../base/files/atomic-write.js";
import { syncFolder } from "../base/platform.js";
import { FolderFiles, isMissing, remove } from "./folder-files.js";
import { FolderLeases } from "./folder-leases.js";
import {
  type AppendAnswer,
  type LeaseAnswer,
  type LeaseRequest,
  matchesQuery,
  type SessionChange,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  type StoredRecord,
} from "./session-store.js";
import { changeText, fileText, infoOfDamaged, readInfo, readStored } from "./stored-file.js";

/** The number of files that a list reads at the same time. */
const readsAtOnce = 32;

/**
 * Returns a store that keeps each session in a file of the folder: `<id>~<number>.json`, which only its owner can read.
 * The file is replaced atomically, or gets a line for each change. The folder is created when it is needed, for its
 * owner only. A file that `session.save()` wrote is a stored session, too, if it is named `<id>.json`. In names of
 * files `+a` means `A`. Processes of one machine may share the folder.
 *
 * @example
 * ```ts
 * const engine = await createEngine({ sessionStore: folderStore("sessions") }); // or just "sessions"
 * const session = await engine.sessions.open({ tags: { user: "ada" }, autosave: true });
 * await session.run("Summarize the letters."); // resolves when the store has it
 * ```
 */
export function folderStore(folder: string): SessionStore {
  return new FolderStore(path.resolve(requiredString(folder, "The folder of folderStore()")));
}

// A file system cannot write a file on the condition that another one is there. So the number of the lease is part of
// the name: a process that has lost its lease writes a file that no process reads any more.
class FolderStore implements SessionStore {
  readonly name: string;
  readonly #files: FolderFiles;
  readonly #leases: FolderLeases;
  /** The files that this store has written, by session: the number of the lease, and the size after the last write. */
  readonly #written = new Map<string, { readonly fence: number; readonly size: number }>();

  constructor(folder: string) {
    this.name = `the folder ${folder}`;
    this.#files = new FolderFiles(folder);
    this.#leases = new FolderLeases(this.#files);
  }

  async load(id: string): Promise<StoredRecord | undefined> {
    const [newest] = (await this.#files.of(id)).records;
    return newest === undefined ? undefined : readStored(this.#files.record(id, newest), id);
  }

  async save(session: StoredRecord, fence: number): Promise<boolean> {
    const { id } = session;
    const text = fileText(session);
    const saved = await this.#fenced(id, fence, async () => {
      await writeFileAtomically(this.#files.record(id, fence), text);
      await syncFolder(this.#files.folder);
      return true;
    });
    if (saved !== true) return false;
    for (const old of (await this.#files.of(id)).records) if (old < fence) await remove(this.#files.record(id, old));
    this.#written.set(id, { fence, size: Buffer.byteLength(text) });
    return true;
  }

  async append(change: SessionChange, fence: number): Promise<AppendAnswer> {
    const { id } = change;
    const text = changeText(change);
    const { size, fence: of } = this.#written.get(id) ?? { size: 0, fence: 0 };
    if (of !== fence) return (await this.#leases.isCurrent(id, fence)) ? "save" : "lost";
    // A file of another size is not the one that the change is of.
    const appended = await this.#fenced(id, fence, () => appendSynced(this.#files.record(id, fence), size, text));
    if (appended === undefined) return "lost";
    if (appended) this.#written.set(id, { fence, size: size + Buffer.byteLength(text) });
    return appended ? "appended" : "save";
  }

  async list(query: SessionQuery): Promise<readonly SessionInfo[]> {
    const infos: SessionInfo[] = [];
    const waiting = [...(await this.#files.newest())];
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
    if (!(await this.#leases.isCurrent(id, fence))) return false;
    const { records } = await this.#files.of(id);
    if (records.length === 0) return false;
    for (const one of records.toReversed()) await remove(this.#files.record(id, one)); // the newest is removed last
    this.#written.delete(id);
    await this.#leases.forget(id, fence);
    await syncFolder(this.#files.folder);
    return true;
  }

  async acquire(id: string, request: LeaseRequest): Promise<LeaseAnswer> {
    await mkdir(this.#files.folder, { recursive: true, mode: 0o700 });
    return this.#leases.acquire(id, request);
  }

  renew(id: string, fence: number, ttlMs: number): Promise<boolean> {
    return this.#leases.renew(id, fence, ttlMs);
  }

  release(id: string, fence: number): Promise<void> {
    if (this.#written.get(id)?.fence === fence) this.#written.delete(id);
    return this.#leases.release(id, fence);
  }

  /**
   * Writes under a lease. Undefined: the lease is another. A process that takes over removes this lease before it
   * reads, so it reads what was written if the lease is still there afterwards.
   */
  async #fenced(id: string, fence: number, write: () => Promise<boolean>): Promise<boolean | undefined> {
    this.#written.delete(id); // unless all of it succeeds
    if (!(await this.#leases.isCurrent(id, fence))) return undefined;
    const result = await write();
    if (!(await this.#leases.isCurrent(id, fence))) return undefined;
    return result;
  }

  async #info(id: string, fence: number): Promise<SessionInfo[]> {
    const file = this.#files.record(id, fence);
    try {
      return [await readInfo(file, id)];
    } catch (error) {
      if (isMissing(error)) return []; // it was deleted, or saved under a new lease
      if (!(error instanceof LlamaHooksError)) throw error;
      return [await infoOfDamaged(file, id, error)];
    }
  }
}
