// Keeps the leases of a folder of sessions: a file for each, whose time says when it ends. Must not: treat a damaged
// lease as an expired one, or as one that is held.
import { link, stat } from "node:fs/promises";
import { readRegularText } from "../base/files/regular-file.js";
import { throughTemporaryFile, writeSynced } from "../base/files/temporary-file.js";
import { whileShared } from "../base/platform.js";
import { messageOf } from "../base/thrown.js";
import { exists, type FolderFiles, found, hasCode, isMissing, remove, setTime } from "./folder-files.js";
import { expiryIn, type KeptLease, leaseText, leftOf, mostOfLease, readLease } from "./lease-text.js";
import { type LeaseAnswer, type LeaseRequest, microseconds } from "./session-store.js";

/** The maximum number of attempts: other processes may be faster, but not often. */
const mostTries = 500;

export class FolderLeases {
  readonly #files: FolderFiles;

  constructor(files: FolderFiles) {
    this.#files = files;
  }

  async acquire(id: string, request: LeaseRequest): Promise<LeaseAnswer> {
    if (request.dead !== undefined) await found(() => setTime(this.#lease(id, request.dead ?? 0), 0));
    for (let tries = 0; tries < mostTries; ++tries) {
      const { records, leases } = await this.#files.of(id);
      const held = await this.#held(id, leases, request.ttlMs);
      if (held !== undefined) return held;
      // All processes that ask now propose the same number, and only one of them can create the file.
      const last = Math.max(await this.#seed(id), leases[0] ?? 0, records[0] ?? 0);
      if (!Number.isSafeInteger(last + 1)) throw new Error(`no number is left for a lease behind ${last}`);
      if (!(await this.#take(id, last + 1, request))) continue;
      if (await this.#isNewest(id, last + 1)) return { fence: last + 1 };
      await remove(this.#lease(id, last + 1)); // meanwhile another process took and returned it, or deleted the session
    }
    throw new Error(`${this.#lease(id, 0)} and the files beside it change at every look`);
  }

  async renew(id: string, fence: number, ttlMs: number): Promise<boolean> {
    const file = this.#lease(id, fence);
    const lease = await this.#read(file);
    return lease !== undefined && (await found(() => setTime(file, expiryIn(ttlMs, lease))));
  }

  /** The lease file of a stored session stays, so that numbers grow. */
  async release(id: string, fence: number): Promise<void> {
    const { records, leases } = await this.#files.of(id);
    if (records.length === 0 && leases[0] === fence) await this.forget(id, fence);
    else await found(() => setTime(this.#lease(id, fence), 0));
  }

  isCurrent(id: string, fence: number): Promise<boolean> {
    return exists(this.#lease(id, fence));
  }

  /** Removes the files of the current lease if the session is not stored. */
  async forget(id: string, fence: number): Promise<void> {
    await remove(this.#lease(id, 0)); // before the lease, so that its number is not given out again
    await remove(this.#lease(id, fence));
  }

  /** The number after which leases are numbered: the time at which the first one was asked for. */
  async #seed(id: string): Promise<number> {
    const file = this.#lease(id, 0);
    for (let tries = 0; tries < mostTries; ++tries) {
      const text = await this.#text(file);
      if (text === undefined) {
        await this.#create(file, String(microseconds()), () => 0);
        continue; // others may have been quicker, or delete the session
      }
      if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
      throw damaged(file, "it has no number of a lease");
    }
    throw damaged(file, "it is there and cannot be found");
  }

  /** Removes the leases that the newest one replaces. */
  async #isNewest(id: string, fence: number): Promise<boolean> {
    const { records, leases, parts } = await this.#files.of(id);
    if (leases[0] !== fence || fence <= (await this.#seed(id))) return false;
    for (const one of leases.slice(1)) await remove(this.#lease(id, one));
    for (const one of records.slice(1)) await remove(this.#files.record(id, one));
    for (const part of parts) await remove(part);
    return true;
  }

  /** The lease that has not expired, if there is one. */
  async #held(id: string, leases: readonly number[], ttlMs: number): Promise<LeaseAnswer | undefined> {
    for (const fence of leases) {
      const file = this.#lease(id, fence);
      const lease = await this.#read(file);
      if (lease === undefined) continue; // it was released meanwhile
      const { leftMs, isTooFar } = leftOf(lease, await timeOf(file), ttlMs);
      if (isTooFar) await found(() => setTime(file, expiryIn(leftMs, lease)));
      if (leftMs > 0) return { heldBy: lease.holder, fence, expiresInMs: leftMs };
    }
    return undefined;
  }

  #take(id: string, fence: number, request: LeaseRequest): Promise<boolean> {
    const text = leaseText(request);
    return this.#create(this.#lease(id, fence), text, () => expiryIn(request.ttlMs, readLease(text)));
  }

  /** Creates a file with its content and its time. False: it is there already. */
  async #create(file: string, content: string, time: () => number): Promise<boolean> {
    const place = async (part: string): Promise<boolean> => {
      await setTime(part, time());
      await whileShared(() => link(part, file));
      return true;
    };
    try {
      return await throughTemporaryFile(file, (handle) => writeSynced(handle, content), place);
    } catch (error) {
      if (hasCode(error, "EEXIST") || isMissing(error)) return false; // the holder has removed the file
      throw error;
    }
  }

  /** Undefined: it is missing. Throws, with the file, if it is damaged. */
  async #read(file: string): Promise<KeptLease | undefined> {
    const text = await this.#text(file);
    try {
      return text === undefined ? undefined : readLease(text);
    } catch (error) {
      throw damaged(file, messageOf(error));
    }
  }

  async #text(file: string): Promise<string | undefined> {
    try {
      return await whileShared(() => readRegularText(file, mostOfLease));
    } catch (error) {
      if (isMissing(error)) return undefined;
      if ((error as NodeJS.ErrnoException).code !== undefined) throw error; // the system cannot read it
      throw damaged(file, messageOf(error));
    }
  }

  #lease(id: string, fence: number): string {
    return this.#files.lease(id, fence);
  }
}

/** 0: the file is missing. */
async function timeOf(file: string): Promise<number> {
  try {
    return (await whileShared(() => stat(file))).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function damaged(file: string, why: string): Error {
  return new Error(`${file} is no lease: ${why}. Delete it if no process has the session open`);
}
