// Names the files of a folder of sessions, and changes them so that several processes may do so at the same time.
import { readdir, stat, unlink, utimes } from "node:fs/promises";
import path from "node:path";
import { isDeviceName, whileShared } from "../base/platform.js";

/** The files of one session, by the number of the lease under which each was written, the greatest first. */
export interface Files {
  readonly records: number[];
  readonly leases: number[];
  /** Incomplete files of a process that died. */
  readonly parts: string[];
}

export class FolderFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  record(id: string, fence: number): string {
    return path.join(this.folder, `${nameOf(id)}${fence === 0 ? "" : `~${fence}`}.json`);
  }

  lease(id: string, fence: number): string {
    return path.join(this.folder, `${nameOf(id)}~${fence}.lease`);
  }

  async of(id: string): Promise<Files> {
    const files: Files = { records: [], leases: [], parts: [] };
    for (const name of await this.#names()) {
      const { id: of, fence, kind } = partsOf(name);
      if (of !== id) continue;
      if (kind === "json") files.records.push(fence);
      else if (kind === "lease" && fence > 0) files.leases.push(fence);
      else if (kind === "tmp") files.parts.push(path.join(this.folder, name));
    }
    files.records.sort((a, b) => b - a);
    files.leases.sort((a, b) => b - a);
    return files;
  }

  /** The number of the newest record of each session. */
  async newest(): Promise<Map<string, number>> {
    const newest = new Map<string, number>();
    for (const name of await this.#names()) {
      const { id, fence, kind } = partsOf(name);
      if (kind === "json") newest.set(id, Math.max(newest.get(id) ?? 0, fence));
    }
    return newest;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

/**
 * Some file systems do not distinguish `a` from `A`. With a `+` before the first dot, or at the end, a name is not a
 * device.
 */
function nameOf(id: string): string {
  const name = id.replaceAll(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
  return isDeviceName(id) ? name.replace(/(?=\.)|$/, "+") : name;
}

/** `kind` is undefined for files that do not belong to a store. */
function partsOf(name: string): { readonly id: string; readonly fence: number; readonly kind: string | undefined } {
  const [, of = "", fence = "0", kind] =
    /^([a-z0-9+][a-z0-9+_.-]*?)(?:~(0|[1-9]\d{0,15}))?\.(json|lease|(?:json|lease)\.[^~]*\.tmp)$/.exec(name) ?? [];
  const id = of.replaceAll(/\+([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/\+(?=\.|$)/, "");
  const isOurs = Number.isSafeInteger(Number(fence));
  return { id, fence: Number(fence), kind: isOurs ? (kind?.endsWith(".tmp") === true ? "tmp" : kind) : undefined };
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

/** False if the file is not there. */
export async function found(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await whileShared(work);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Sets the time of a file, in milliseconds since 1970. */
export function setTime(file: string, time: number): Promise<void> {
  return utimes(file, new Date(time), new Date(time));
}

export function exists(file: string): Promise<boolean> {
  return found(() => stat(file));
}

export async function remove(file: string): Promise<void> {
  await found(() => unlink(file));
}
