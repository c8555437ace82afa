// Fetching models by name: what users call. Must not: know HTTP, or where files lie.
import { callAtOnce } from "../base/callback.js";
import {
  checkObject,
  optionalFunction,
  optionalName,
  optionalSignal,
  optionalString,
  requiredString,
} from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { CacheFolder, type CachedFile, type CachedModel, defaultCacheFolder } from "./cache-folder.js";
import { failed } from "./failed.js";
import { fetchFile, type FileProgress } from "./fetch-file.js";
import { type Access, bare, reasonOf } from "./http.js";
import { findFiles, type RemoteFile } from "./hub.js";
import { isRemote, nameForms, parseModelName, partsOf, spelledName } from "./model-name.js";

/** What a download has come to. Sizes are in bytes. */
export interface DownloadProgress extends FileProgress {
  /** The model's. */
  readonly name: string;
  /** The name of the file that is fetched. */
  readonly file: string;
  /** Its number, from 0. */
  readonly index: number;
  /** How many files the model has. */
  readonly count: number;
}

/** Called at most ten times a second while a model is fetched, and when a file is whole. */
export type OnDownload = (progress: DownloadProgress) => void;

/** Where fetched models are kept. */
export interface CacheOptions {
  /** [the variable LLAMA_HOOKS_CACHE, or llama-hooks in the user's cache folder]. */
  readonly cacheFolder?: string;
}

/** Options of `downloadModel()`. */
export interface DownloadOptions extends CacheOptions {
  /** The hub of "hf:" names [the variable HF_ENDPOINT, or https://huggingface.co]. */
  readonly endpoint?: string;
  /** Shown to the hub, and to nobody else [the variable HF_TOKEN]. */
  readonly token?: string;
  /** Stops the download, and keeps what has come: it rejects with code CANCELLED. */
  readonly signal?: AbortSignal;
  /** A throw is what the download rejects with; it may not be async (`TypeError`). */
  readonly onProgress?: OnDownload;
}

const progressMs = 100;
const keys = ["cacheFolder", "endpoint", "token", "signal", "onProgress"] as const;

/**
 * Fetches a model once: "hf:user/repo", "hf:user/repo:quant", "hf:user/repo/file.gguf" (a revision behind repo, as in
 * repo@v1), or an address; that of a page of the hub about a file is that file. What is in the cache is not asked for again. A download that was cut goes on where it stopped,
 * also in another process; several processes that want the same model fetch it once. Sizes and the hub's SHA-256 are checked, and that a GGUF file is whole.
 * Errors: DOWNLOAD_FAILED (`details.status` where a server answered), CANCELLED.
 */
export async function downloadModel(name: string, options?: DownloadOptions): Promise<CachedModel> {
  requiredString(name, "The name of a model");
  const given = checkObject(options, "downloadModel() options", keys);
  const signal = optionalSignal(given.signal, "signal");
  optionalFunction(given.onProgress, "onProgress");
  const onProgress = given.onProgress as OnDownload | undefined;
  const access = accessOf(optionalString(given.endpoint, "endpoint"), optionalString(given.token, "token"));
  const cache = cacheOf(given.cacheFolder);
  if (!isRemote(name)) throw failed(`${JSON.stringify(name)} cannot be fetched; ${nameForms}`);
  const spelled = spelledName(name, access.endpoint);
  const parsed = parseModelName(spelled);
  const shown = parsed.kind === "hub" ? spelled : bare(parsed.url);
  // What `onProgress` threw is the caller's own.
  let thrown: { readonly value: unknown } | undefined;
  const tell: OnDownload = (progress) => {
    try {
      if (onProgress !== undefined) callAtOnce("The callback of a download", onProgress, progress);
    } catch (value) {
      thrown = { value };
      throw value;
    }
  };
  try {
    const there = await cache.find(spelled);
    if (there !== undefined) return there;
    return await cache.alone(
      parsed,
      async (stop) => {
        const meanwhile = await cache.find(spelled);
        if (meanwhile !== undefined) return meanwhile;
        const remote: RemoteFile[] =
          parsed.kind === "hub" ? await findFiles(parsed, access, stop) : filesAt(parsed.url);
        const files: CachedFile[] = [];
        for (const [index, file] of remote.entries()) {
          const target = cache.place(parsed, file.path);
          const report = reporter(tell, { name: shown, file: file.path, index, count: remote.length });
          files.push({ path: target, ...(await fetchFile(file, target, access, report, stop)) });
        }
        return cache.keep(spelled, shown, files);
      },
      signal,
    );
  } catch (error) {
    if (thrown !== undefined) throw thrown.value;
    throw inWords(shown, error, signal);
  }
}

/** The models that have been fetched. */
export function cachedModels(options?: CacheOptions): Promise<CachedModel[]> {
  return cacheOf(checkObject(options, "cachedModels() options", ["cacheFolder"]).cacheFolder).list();
}

/** Removes a fetched model, and returns what it was. Errors: NOT_FOUND. */
export async function removeCachedModel(name: string, options?: CacheOptions): Promise<CachedModel> {
  requiredString(name, "The name of a model");
  const cache = cacheOf(checkObject(options, "removeCachedModel() options", ["cacheFolder"]).cacheFolder);
  return cache.remove(spelledName(name, accessOf(undefined, undefined).endpoint));
}

function cacheOf(folder: unknown): CacheFolder {
  return new CacheFolder(optionalName(folder, "cacheFolder") ?? defaultCacheFolder());
}

function accessOf(endpoint: string | undefined, token: string | undefined): Access {
  const { HF_ENDPOINT, HF_TOKEN } = process.env;
  const hub = endpoint ?? (HF_ENDPOINT || "https://huggingface.co");
  if (!/^https?:/.test(hub) || !URL.canParse(hub)) throw new TypeError(`${JSON.stringify(hub)} is no address of a hub`);
  const own = token ?? (HF_TOKEN || undefined);
  if (own !== undefined && !/^[\x21-\x7e]+$/.test(own))
    throw new TypeError("The token of the hub has characters that no token has");
  return { endpoint: hub.replace(/\/+$/, ""), token: own };
}

/** The file at an address, with the other parts of a split model. */
function filesAt(url: URL): RemoteFile[] {
  return partsOf(url.pathname).map((path) => {
    const part = new URL(url);
    part.pathname = path;
    return { url: part, path };
  });
}

/** At most so often, but the last is told in any case. */
function reporter(
  tell: OnDownload,
  which: Pick<DownloadProgress, "name" | "file" | "index" | "count">,
): (progress: FileProgress) => void {
  let told = -Infinity;
  let whole = false;
  return (progress) => {
    const now = performance.now();
    const ends = progress.receivedBytes === progress.totalBytes;
    if (whole || (now - told < progressMs && !ends)) return;
    told = now;
    whole = ends;
    tell({ ...which, ...progress });
  };
}

function inWords(name: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true)
    return new LlamaHooksError("CANCELLED", `The download of ${name} was cancelled`, { cause: signal.reason });
  const what = `${name} could not be downloaded`;
  if (!(error instanceof LlamaHooksError)) return failed(`${what}: ${reasonOf(error)}`, { cause: error });
  if (error.code !== "DOWNLOAD_FAILED") return error;
  const { cause, details } = error;
  return failed(`${what}: ${error.message}`, { ...(cause !== undefined && { cause }), details });
}
