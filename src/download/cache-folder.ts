// The cache of downloaded models: where files lie, which models are complete, and who may write.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { LlamaHooksError } from "../base/errors.js";
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

/** The note about a complete model. Paths are relative to the folder. */
interface ModelNote {
  readonly version: 1;
  readonly name: string;
  readonly files: readonly CachedFile[];
  readonly fetchedAt: string;
}

const noteEnd = ".model.json";

/** `LLAMA_HOOKS_CACHE`, or llama-hooks in the user's cache folder. */
export function defaultCacheFolder(): string {
  const { LLAMA_HOOKS_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (LLAMA_HOOKS_CACHE) return path.resolve(LLAMA_HOOKS_CACHE);
  // The XDG specification says to ignore relative paths.
  const xdg = XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : undefined;
  const local = process.platform === "win32" ? LOCALAPPDATA : undefined;
  return path.join(xdg ?? local ?? path.join(homedir(), ".cache"), "llama-hooks");
}

export class CacheFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = path.resolve(folder, "models");
  }

  /** Path of a file of a model. */
  place(name: HubName | AddressName, file: string): string {
    if (name.kind === "hub") return path.join(this.#folder, "hub", name.repository, name.revision, file);
    const { url } = name;
    // An address may be longer than a path may be, and may contain a secret.
    const folder = path.join(url.host.replaceAll(":", "_"), digest(url.href).slice(0, 16));
    return path.join(this.#folder, "address", folder, path.basename(file));
  }

  /** Returns the model of that name; undefined unless it is complete. */
  async find(name: string): Promise<CachedModel | undefined> {
    const note = await this.#read(this.#notePath(name));
    return note && this.#whole(note);
  }

  /** Returns all complete models, by name. */
  async list(): Promise<CachedModel[]> {
    const models = (await this.#notes()).map(([, note]) => this.#whole(note));
    return (await Promise.all(models)).filter((model) => model !== undefined).toSorted(byName);
  }

  /** Records a complete model. `shown`: its name without secrets. */
  async keep(name: string, shown: string, files: readonly CachedFile[]): Promise<CachedModel> {
    const relative = files.map((file) => ({ ...file, path: path.relative(this.#folder, file.path) }));
    const note: ModelNote = { version: 1, name: shown, files: relative, fetchedAt: new Date().toISOString() };
    const target = this.#notePath(name);
    await writeFile(`${target}.new`, JSON.stringify(note));
    await rename(`${target}.new`, target);
    return asModel(note, files);
  }

  /** Removes a model, complete or not. Files that another name shares stay. Errors: NOT_FOUND. */
  async remove(name: string): Promise<CachedModel> {
    const own = this.#notePath(name);
    const all = await this.#notes();
    const [at, note] = all.find(([file]) => file === own) ?? all.find(([, one]) => one.name === name) ?? [];
    if (at === undefined || note === undefined)
      throw new LlamaHooksError("NOT_FOUND", `${name} is not in ${this.#folder}`);
    const model = await asModel(note, this.#filesOf(note));
    return this.alone(parseModelName(name), async () => {
      const others = (await this.#notes()).filter(([file]) => file !== at);
      const kept = new Set(others.flatMap(([, one]) => this.#filesOf(one).map((file) => file.path)));
      await rm(at, { force: true });
      for (const file of model.files) if (!kept.has(file.path)) await rm(file.path, { force: true });
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
    await mkdir(this.#folder, { recursive: true });
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
      const note = JSON.parse(await readFile(file, "utf8")) as ModelNote;
      return note.version === 1 ? note : undefined;
    } catch {
      return undefined; // no note: the model is downloaded
    }
  }

  /** Returns all notes with the paths of their files. */
  async #notes(): Promise<[string, ModelNote][]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.filter((name) => name.endsWith(noteEnd)).map((name) => path.join(this.#folder, name));
    const notes = await Promise.all(files.map(async (file) => [file, await this.#read(file)] as const));
    return notes.filter((one): one is [string, ModelNote] => one[1] !== undefined);
  }

  #filesOf(note: ModelNote): CachedFile[] {
    return note.files.map((file) => ({ ...file, path: path.join(this.#folder, file.path) }));
  }

  async #whole(note: ModelNote): Promise<CachedModel | undefined> {
    const files = this.#filesOf(note);
    const sizes = await Promise.all(
      files.map((file) =>
        stat(file.path).then(
          ({ size }) => size,
          () => -1,
        ),
      ),
    );
    return files.every((file, i) => file.size === sizes[i]) ? asModel(note, files) : undefined;
  }
}

async function asModel(note: ModelNote, files: readonly CachedFile[]): Promise<CachedModel> {
  const first = files[0]?.path ?? "";
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return { name: note.name, path: first, files, size, ...(await readGgufFacts(first)), fetchedAt: note.fetchedAt };
}

function byName(a: CachedModel, b: CachedModel): number {
  return a.name < b.name ? -1 : 1;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
