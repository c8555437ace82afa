// downloadModel(), cachedModels(), removeCachedModel(): the public functions for downloads.
import { calledAt } from "../base/call-site.js";
import { callAtOnce } from "../base/callback.js";
import {
  checkObject,
  optionalBoolean,
  optionalFunction,
  optionalName,
  optionalSignal,
  requiredString,
} from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { CacheFolder, type CachedFile, type CachedModel, defaultCacheFolder } from "./cache-folder.js";
import { downloadFailed } from "./download-failed.js";
import { fetchFile, type FileProgress } from "./fetch-file.js";
import { type Access, bare, reasonOf } from "./http.js";
import { findFiles, type RemoteFile } from "./hub.js";
import { isRemote, nameForms, parseModelName, partsOf, spelledName, splitPin } from "./model-name.js";

/** Progress of a download. Sizes are in bytes. */
export interface DownloadProgress extends FileProgress {
  /** Name of the model. */
  readonly name: string;
  /** Name of the current file. */
  readonly file: string;
  /** Number of the current file, from 0. */
  readonly index: number;
  /** Number of files of the model. */
  readonly count: number;
}

/** Called at most ten times a second during a download, and at the end of each file. */
export type OnDownload = (progress: DownloadProgress) => void;

/** The place of downloaded models. */
export interface CacheOptions {
  /** The cache folder [the variable LLAMA_HOOKS_CACHE, or llama-hooks in the user's cache folder]. */
  readonly cacheFolder?: string;
}

/** Options of `downloadModel()`. */
export interface DownloadOptions extends CacheOptions {
  /** Address of the hub for "hf:" names [the variable HF_ENDPOINT, or https://huggingface.co]. */
  readonly endpoint?: string;
  /** Access token, sent to the hub only [the variable HF_TOKEN]. */
  readonly token?: string;
  /**
   * True: plain HTTP is allowed [false]. Otherwise addresses, hubs and redirects must be HTTPS; only this machine
   * (localhost) may be reached by HTTP.
   */
  readonly allowHttp?: boolean;
  /** True: the files of a cached model are hashed even if they look unchanged [false]. */
  readonly verify?: boolean;
  /** Cancels the download: it rejects with CANCELLED. Received data is kept. */
  readonly signal?: AbortSignal;
  /**
   * Called with the progress. If it throws, the download rejects with that value; it must not be async (`TypeError`).
   */
  readonly onProgress?: OnDownload;
}

const progressMs = 100;
const keys = ["cacheFolder", "endpoint", "token", "allowHttp", "verify", "signal", "onProgress"] as const;

/**
 * Downloads a model, unless it is in the cache. Names: "hf:user/repo", "hf:user/repo:quant", "hf:user/repo/file.gguf"
 * (with a revision: repo@v1), or an address; the address of a file's page on the hub means that file. An interrupted
 * download is resumed, also in another process; processes that need the same model download it once. Sizes, the hub's
 * SHA-256 and the completeness of GGUF files are checked. A name may end with "#sha256=" and 64 hexadecimal digits: the
 * file must have that SHA-256, after its download and at every later use. If the size of a cached file has changed, the
 * file is downloaded again. If only its modification time has changed, the file is hashed, and refused if its content
 * has changed.
 * Errors: DOWNLOAD_FAILED (`details.status` is the server's status), INVALID_ARGUMENT (the part after "#"), CANCELLED.
 *
 * @example
 * ```ts
 * const model = await downloadModel("hf:user/repo:Q4_K_M", {
 *   onProgress: ({ receivedBytes, totalBytes }) => console.log(receivedBytes, totalBytes),
 * });
 * const engine = await createEngine({ model: model.path });
 * ```
 */
export function downloadModel(name: string, options?: DownloadOptions): Promise<CachedModel> {
  return calledAt(downloadModel, () => download(name, options));
}

async function download(name: string, options?: DownloadOptions): Promise<CachedModel> {
  requiredString(name, "The name of a model");
  const given = checkObject(options, "downloadModel() options", keys);
  const signal = optionalSignal(given.signal, "signal");
  optionalFunction(given.onProgress, "onProgress");
  const onProgress = given.onProgress as OnDownload | undefined;
  const access = accessOf(
    optionalName(given.endpoint, "endpoint"),
    optionalName(given.token, "token"),
    optionalBoolean(given.allowHttp, "allowHttp"),
  );
  const verify = optionalBoolean(given.verify, "verify") ?? false;
  const cache = cacheOf(given.cacheFolder);
  if (!isRemote(name)) throw downloadFailed(`${JSON.stringify(name)} cannot be downloaded; ${nameForms}`);
  const { name: unpinned, sha256: pin } = splitPin(name);
  const spelled = spelledName(unpinned, access.endpoint);
  const parsed = parseModelName(spelled);
  const shown = parsed.kind === "hub" ? spelled : bare(parsed.url);
  // An exception of `onProgress` belongs to the caller and is rethrown unchanged.
  let thrown: { readonly value: unknown } | undefined;
  const callOnProgress: OnDownload = (progress) => {
    try {
      if (onProgress !== undefined) callAtOnce("The callback of a download", onProgress, progress);
    } catch (value) {
      thrown = { value };
      throw value;
    }
  };
  try {
    const find = async (stop: AbortSignal | undefined): Promise<CachedModel | undefined> => {
      // A pin does not trust what the cache says about itself.
      const found = await cache.find(spelled, verify || pin !== undefined, stop);
      if (found !== undefined && pin !== undefined) checkPin(pin, found.files);
      return found;
    };
    const there = await find(signal);
    if (there !== undefined) return there;
    return await cache.alone(
      parsed,
      async (stop) => {
        const meanwhile = await find(stop);
        if (meanwhile !== undefined) return meanwhile;
        const found = parsed.kind === "hub" ? await findFiles(parsed, access, stop) : filesAt(parsed.url);
        const remote = pin === undefined ? found : pinned(pin, found);
        const files: CachedFile[] = [];
        for (const [index, file] of remote.entries()) {
          const target = cache.place(parsed, file.path);
          await cache.makeFolderOf(target);
          const report = reporter(callOnProgress, { name: shown, file: file.path, index, count: remote.length });
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

/**
 * Lists the downloaded models.
 *
 * @example
 * ```ts
 * for (const { name, size } of await cachedModels()) console.log(name, size);
 * ```
 */
export function cachedModels(options?: CacheOptions): Promise<CachedModel[]> {
  const cache = cacheOf(checkObject(options, "cachedModels() options", ["cacheFolder"]).cacheFolder);
  return calledAt(cachedModels, () => cache.list());
}

/**
 * Removes a downloaded model and returns its description. Only files of downloaded models are deleted. Errors:
 * NOT_FOUND; DOWNLOAD_FAILED if the cache was changed so that the model's files are outside it (nothing is deleted
 * then), or if a file cannot be deleted, as on Windows while it is in use (try again later).
 *
 * @example
 * ```ts
 * await removeCachedModel("hf:user/repo:Q4_K_M");
 * ```
 */
export function removeCachedModel(name: string, options?: CacheOptions): Promise<CachedModel> {
  return calledAt(removeCachedModel, () => remove(name, options));
}

async function remove(name: string, options?: CacheOptions): Promise<CachedModel> {
  requiredString(name, "The name of a model");
  const cache = cacheOf(checkObject(options, "removeCachedModel() options", ["cacheFolder"]).cacheFolder);
  return cache.remove(spelledName(splitPin(name).name, accessOf(undefined, undefined, undefined).endpoint));
}

function cacheOf(folder: unknown): CacheFolder {
  return new CacheFolder(optionalName(folder, "cacheFolder") ?? defaultCacheFolder());
}

function accessOf(endpoint: string | undefined, token: string | undefined, allowHttp: boolean | undefined): Access {
  const { HF_ENDPOINT, HF_TOKEN } = process.env;
  const hub = endpoint ?? (HF_ENDPOINT || "https://huggingface.co");
  if (!/^https?:/.test(hub) || !URL.canParse(hub))
    throw wrongAccess(`${JSON.stringify(hub)} is not the address of a hub`, endpoint === undefined && "HF_ENDPOINT");
  const own = token ?? (HF_TOKEN || undefined);
  if (own !== undefined && !/^[\x21-\x7e]+$/.test(own))
    throw wrongAccess("The token of the hub has invalid characters", token === undefined && "HF_TOKEN");
  return { endpoint: hub.replace(/\/+$/, ""), token: own, allowHttp: allowHttp ?? false };
}

/** `variable`: the variable of the environment that has the wrong value; false: an option of the caller has it. */
function wrongAccess(why: string, variable: string | false): Error {
  return variable === false ? new TypeError(why) : new LlamaHooksError("INVALID_ARGUMENT", `${variable}: ${why}`);
}

/** Gives the only file the SHA-256 that the caller demands. Errors: INVALID_ARGUMENT, DOWNLOAD_FAILED. */
function pinned(sha256: string, files: readonly RemoteFile[]): RemoteFile[] {
  const said = files.flatMap((file) => (file.sha256 === undefined ? [] : [{ sha256: file.sha256 }]));
  checkPin(sha256, said.length > 0 ? said : files.map(() => ({ sha256 })));
  return files.map((file) => ({ ...file, sha256 }));
}

function checkPin(pin: string, files: readonly { readonly sha256: string }[]): void {
  if (files.length !== 1)
    throw new LlamaHooksError(
      "INVALID_ARGUMENT",
      `#sha256= is about one file, but the model has ${files.length}: name it without, or name a model of one file`,
    );
  const found = files[0]?.sha256;
  if (found !== pin) throw downloadFailed(`its SHA-256 is ${found}, expected ${pin}`);
}

/** The file at an address, with the other parts of a split model. */
function filesAt(url: URL): RemoteFile[] {
  return partsOf(url.pathname).map((path) => {
    const part = new URL(url);
    part.pathname = path;
    return { url: part, path };
  });
}

/** Limits the rate of calls, but always reports the last one. */
function reporter(
  report: OnDownload,
  which: Pick<DownloadProgress, "name" | "file" | "index" | "count">,
): (progress: FileProgress) => void {
  let reportedAt = -Infinity;
  let whole = false;
  return (progress) => {
    const now = performance.now();
    const ends = progress.receivedBytes === progress.totalBytes;
    if (whole || (now - reportedAt < progressMs && !ends)) return;
    reportedAt = now;
    whole = ends;
    report({ ...which, ...progress });
  };
}

function inWords(name: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true)
    return new LlamaHooksError("CANCELLED", `The download of ${name} was cancelled`, { cause: signal.reason });
  const what = `${name} could not be downloaded`;
  if (!(error instanceof LlamaHooksError)) return downloadFailed(`${what}: ${reasonOf(error)}`, { cause: error });
  if (error.code !== "DOWNLOAD_FAILED") return error;
  const { cause, details } = error;
  return downloadFailed(`${what}: ${error.message}`, { ...(cause !== undefined && { cause }), details });
}
