// The cache of downloaded models: where files lie, which models are complete, and who may write.
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
import { isFileName, userCacheFolder } from "../base/platform.js";
import { isInside, makeFolders, plainFile, readText, remove, writeText } from "./cache-files.js";
import { downloadFailed } from "./download-failed.js";
import { sha256Of } from "./file-hash.js";
import { readGgufFacts } from "./gguf-facts.js";
import { withLock } from "./lock.js";
import { type AddressName, type HubName, parseModelName } from "./model-name.js";

/** A file of a downloaded model. */
export interface CachedFile {
  /** Absolute path. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** SHA-256 of the received bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A downloaded model. */
export interface CachedModel {
  /** The name that it was requested by; names of a hub as "hf:...", addresses without their query. */
  readonly name: string;
  /** Path of its file, or of the first part of a split model; valid as `createEngine({ model })`. */
  readonly path: string;
  /** All its files; the parts of a split model in order. */
  readonly files: readonly CachedFile[];
  /** Size of all files in bytes. */
  readonly size: number;
  /** Architecture in llama.cpp's terms, from the file; null if the file does not state it. */
  readonly architecture: string | null;
  /** Context length in tokens that the model was trained for, from the file; null if the file does not state it. */
  readonly contextLength: number | null;
  /** Time of the download, in ISO 8601. */
  readonly fetchedAt: string;
}

/** A file in a note. */
interface NotedFile extends CachedFile {
  /** Time of its last change when its content was last checked. Absent in notes of earlier versions. */
  readonly mtimeMs?: number;
}

/** The note about a complete model. Paths are relative to the folder. */
interface ModelNote {
  readonly version: 1;
  readonly name: string;
  readonly files: readonly NotedFile[];
  readonly fetchedAt: string;
}

const noteEnd = ".model.json";

/** `LLAMA_HOOKS_CACHE`, or llama-hooks in the user's cache folder. */
export function defaultCacheFolder(): string {
  const { LLAMA_HOOKS_CACHE } = process.env;
  return LLAMA_HOOKS_CACHE ? path.resolve(LLAMA_HOOKS_CACHE) : userCacheFolder("llama-hooks");
}

export class CacheFolder {
  readonly #top: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#top = path.resolve(folder);
    this.#folder = path.join(this.#top, "models");
  }

  /** Path of a file of a model. Errors: DOWNLOAD_FAILED if the system cannot have a file of that name. */
  place(name: HubName | AddressName, file: string): string {
    if (name.kind === "hub") return path.join(this.#folder, "hub", ...names(name.repository, name.revision, file));
    const { url } = name;
    // An address may be longer than a path may be, and may contain a secret.
    const folder = path.join(url.host.replaceAll(":", "_"), digest(url.href).slice(0, 16));
    return path.join(this.#folder, "address", folder, ...names(path.posix.basename(file)));
  }

  /** Creates the folder of a file of a model. Errors: DOWNLOAD_FAILED if a link is in the way. */
  makeFolderOf(file: string): Promise<void> {
    return makeFolders(this.#top, path.dirname(file));
  }

  /**
   * Returns the model of that name; undefined unless it is complete. A file that changed since its last check is hashed
   * again; with `rehash` every file is. Errors: DOWNLOAD_FAILED if a file has other content than the downloaded one, or
   * if the note or a link leads out of the cache.
   */
  async find(name: string, rehash: boolean, signal?: AbortSignal): Promise<CachedModel | undefined> {
    const at = this.#notePath(name);
    const note = await this.#read(at);
    if (note === undefined) return undefined;
    await this.#checkInside(at, note);
    const files: NotedFile[] = [];
    for (const file of this.#filesOf(note)) {
      const found = await plainFile(file.path);
      if (found?.size !== file.size) return undefined;
      if (rehash || found.mtimeMs !== file.mtimeMs) await checkHash(note.name, file, signal);
      files.push({ ...file, mtimeMs: found.mtimeMs });
    }
    // Without a writable cache, the next use hashes the files again.
    if (files.some(({ mtimeMs }, i) => mtimeMs !== note.files[i]?.mtimeMs))
      await this.#write(at, { ...note, files }).catch(() => undefined);
    return asModel(note, files);
  }

  /** Returns all complete models, by name. Their files are not hashed. */
  async list(): Promise<CachedModel[]> {
    const models = (await this.#notes()).map(([at, note]) => this.#whole(at, note));
    return (await Promise.all(models)).filter((model) => model !== undefined).toSorted(byName);
  }

  /** Records a complete model. `shown`: its name without secrets. */
  async keep(name: string, shown: string, files: readonly CachedFile[]): Promise<CachedModel> {
    const noted = files.map(async (file) => {
      const mtimeMs = (await plainFile(file.path))?.mtimeMs;
      return { ...file, ...(mtimeMs !== undefined && { mtimeMs }) };
    });
    const note: ModelNote = {
      version: 1,
      name: shown,
      files: await Promise.all(noted),
      fetchedAt: new Date().toISOString(),
    };
    await this.#write(this.#notePath(name), note);
    return asModel(note, files);
  }

  /**
   * Removes a model, complete or not. Files that another name shares stay. Errors: NOT_FOUND; DOWNLOAD_FAILED if its
   * note or a link leads out of the cache, and nothing is removed then; DOWNLOAD_FAILED, too, if a file cannot be
   * removed, and the model can still be named then.
   */
  async remove(name: string): Promise<CachedModel> {
    const own = this.#notePath(name);
    const all = await this.#notes();
    const [at, note] = all.find(([file]) => file === own) ?? all.find(([, one]) => one.name === name) ?? [];
    if (at === undefined || note === undefined)
      throw new LlamaHooksError("NOT_FOUND", `${name} is not in ${this.#folder}`);
    await this.#checkInside(at, note);
    const model = await asModel(note, this.#filesOf(note));
    return this.alone(parseModelName(name), async () => {
      const others = (await this.#notes()).filter(([file]) => file !== at);
      const kept = new Set(others.flatMap(([, one]) => this.#filesOf(one).map((file) => file.path)));
      await this.#checkInside(at, note); // the wait for the lock may have been long
      for (const file of model.files) if (!kept.has(file.path)) await remove(file.path);
      await remove(at);
      return model;
    });
  }

  /**
   * Runs `work` while no other download to the same place runs, in this process or another. A holder that dies loses
   * the lock. Throws the signal's reason if it aborts during the wait.
   */
  async alone<T>(
    name: HubName | AddressName,
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    await makeFolders(this.#top, this.#folder);
    return withLock(
      path.join(this.#folder, `${digest(path.relative(this.#folder, this.place(name, "x"))).slice(0, 32)}.lock`),
      work,
      signal,
    );
  }

  #notePath(name: string): string {
    return path.join(this.#folder, `${digest(name).slice(0, 32)}${noteEnd}`);
  }

  async #read(file: string): Promise<ModelNote | undefined> {
    try {
      const note: unknown = JSON.parse(await readText(file));
      return isNote(note) ? note : undefined;
    } catch (error) {
      if (error instanceof LlamaHooksError) throw error;
      return undefined; // no note: the model is downloaded
    }
  }

  #write(at: string, note: ModelNote): Promise<void> {
    const files = note.files.map((file) => ({ ...file, path: path.relative(this.#folder, this.#pathOf(file)) }));
    return writeText(at, JSON.stringify({ ...note, files }));
  }

  /** Returns all notes with the paths of their files. Links are left out. */
  async #notes(): Promise<[string, ModelNote][]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.filter((name) => name.endsWith(noteEnd)).map((name) => path.join(this.#folder, name));
    const notes = await Promise.all(
      files.map(async (file) => [file, await this.#read(file).catch(() => undefined)] as const),
    );
    return notes.filter((one): one is [string, ModelNote] => one[1] !== undefined);
  }

  #filesOf(note: ModelNote): NotedFile[] {
    return note.files.map((file) => ({ ...file, path: this.#pathOf(file) }));
  }

  #pathOf(file: CachedFile): string {
    return path.resolve(this.#folder, file.path);
  }

  /** Refuses a note that names files where downloads put none. */
  async #checkInside(at: string, note: ModelNote): Promise<void> {
    const places = ["hub", "address"].map((kind) => path.join(this.#folder, kind));
    for (const file of this.#filesOf(note)) {
      const inside = await Promise.all(places.map((place) => isInside(this.#folder, place, file.path)));
      if (!inside.includes(true))
        throw downloadFailed(`${at} names ${file.path}, which is no file of a downloaded model: delete ${at}`);
    }
  }

  async #whole(at: string, note: ModelNote): Promise<CachedModel | undefined> {
    try {
      await this.#checkInside(at, note);
      const files = this.#filesOf(note);
      const found = await Promise.all(files.map((file) => plainFile(file.path)));
      return files.every((file, i) => file.size === found[i]?.size) ? await asModel(note, files) : undefined;
    } catch {
      return undefined; // a link is in the way: the model cannot be used
    }
  }
}

function isNote(value: unknown): value is ModelNote {
  const note = value as Partial<ModelNote> | null;
  return (
    note?.version === 1 &&
    [note.name, note.fetchedAt].every((text) => typeof text === "string") &&
    Array.isArray(note.files) &&
    note.files.length > 0 &&
    (note.files as (Partial<NotedFile> | null)[]).every(
      (file) =>
        typeof file?.path === "string" && typeof file.size === "number" && /^[0-9a-f]{64}$/.test(String(file.sha256)),
    )
  );
}

/** Errors: DOWNLOAD_FAILED if the file has other content than the downloaded one. */
async function checkHash(name: string, file: CachedFile, signal: AbortSignal | undefined): Promise<void> {
  const sha256 = await sha256Of(file.path, signal);
  if (sha256 === file.sha256) return;
  throw downloadFailed(
    `${file.path} is not as it was downloaded: SHA-256 ${sha256}, expected ${file.sha256}; remove it (llama-hooks models rm ${name}) and download it again`,
  );
}

async function asModel(note: ModelNote, files: readonly CachedFile[]): Promise<CachedModel> {
  const first = files[0]?.path ?? "";
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const shown = files.map((file) => ({ path: file.path, size: file.size, sha256: file.sha256 }));
  return {
    name: note.name,
    path: first,
    files: shown,
    size,
    ...(await readGgufFacts(first)),
    fetchedAt: note.fetchedAt,
  };
}

function byName(a: CachedModel, b: CachedModel): number {
  return a.name < b.name ? -1 : 1;
}

/** The names of folders and files that paths with `/` consist of. */
function names(...paths: string[]): string[] {
  const all = paths.flatMap((one) => one.split("/"));
  const wrong = all.find((name) => !isFileName(name));
  if (wrong === undefined) return all;
  throw downloadFailed(
    `${paths.join("/")} has the name ${JSON.stringify(wrong)}, which no file of this system can have`,
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
