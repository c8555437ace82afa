// Lists the files of a hub's repository and chooses those that a name means.
import { LlamaHooksError } from "../base/errors.js";
import { Attempts, interruptedBy } from "./attempts.js";
import { downloadFailed } from "./download-failed.js";
import { type Access, get, isBusy, reasonOf, refusal } from "./http.js";
import { type HubName, partsOf } from "./model-name.js";

/** A file to download. */
export interface RemoteFile {
  readonly url: URL;
  /** Its path in the repository, or its name. */
  readonly path: string;
  /** Size in bytes, if known in advance. */
  readonly size?: number;
  /** SHA-256 in hexadecimal, if known in advance. */
  readonly sha256?: string;
}

interface TreeEntry {
  readonly type: string;
  readonly path: string;
  readonly size: number;
  readonly lfs?: { readonly oid: string; readonly size: number };
}

/** Returns the files that a name means: one, or the parts of a split model. Errors: DOWNLOAD_FAILED. */
export async function findFiles(name: HubName, access: Access, signal: AbortSignal): Promise<RemoteFile[]> {
  const tree = await listTree(name, access, signal);
  const files = new Map(tree.filter(({ path }) => path.endsWith(".gguf")).map((entry) => [entry.path, entry]));
  const first = name.file ?? choose(name, [...files.keys()]);
  return partsOf(first).map((path) => {
    const entry = files.get(path);
    if (entry === undefined)
      throw downloadFailed(`${name.repository} has no file ${path}${listing([...files.keys()])}`);
    const url = new URL(
      `${access.endpoint}/${name.repository}/resolve/${encodeURIComponent(name.revision)}/${encodePath(path)}`,
    );
    return { url, path, size: entry.lfs?.size ?? entry.size, ...(entry.lfs && { sha256: entry.lfs.oid }) };
  });
}

async function listTree(name: HubName, access: Access, signal: AbortSignal): Promise<TreeEntry[]> {
  const { repository, revision } = name;
  const entries: TreeEntry[] = [];
  const first = `${access.endpoint}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`;
  for (let next: URL | undefined = new URL(first); next !== undefined;) {
    const response = await getList(next, access, signal);
    const page: unknown = await response.json().catch(() => undefined);
    if (!Array.isArray(page) || !page.every(isEntry))
      throw downloadFailed(`${access.endpoint} did not answer with a list of files`);
    entries.push(...page);
    const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    next = link === undefined ? undefined : new URL(link, next);
  }
  return entries;
}

/** Retries while the hub is overloaded. */
async function getList(url: URL, access: Access, signal: AbortSignal): Promise<Response> {
  const attempts = new Attempts();
  for (;;) {
    const response = await get(url, access, { accept: "application/json" }, signal).catch((cause: unknown) => {
      if (signal.aborted || cause instanceof LlamaHooksError) throw cause;
      throw downloadFailed(`${access.endpoint} cannot be reached: ${reasonOf(cause)}`, { cause });
    });
    if (response.ok) return response;
    if (!isBusy(response.status)) throw await refusal(response, access);
    await response.body?.cancel();
    await attempts.pause(interruptedBy(response, url), false, signal);
  }
}

function isEntry(value: unknown): value is TreeEntry {
  const entry = value as Partial<TreeEntry> | null;
  const lfs = entry?.lfs as { oid?: unknown; size?: unknown } | null | undefined;
  return (
    typeof entry?.path === "string" &&
    typeof entry.size === "number" &&
    // The path becomes a path in the cache, and is shown to users.
    !entry.path.split("/").includes("..") &&
    !/[\p{Cc}\\]/u.test(entry.path) &&
    (lfs === undefined || (/^[0-9a-f]{64}$/.test(String(lfs?.oid)) && typeof lfs?.size === "number"))
  );
}

// Quantizations to prefer if the name states none, the same as llama.cpp's: the usual compromise of size and quality
// first.
const usualQuants = ["Q4_K_M", "Q4_0", "Q8_0"];

/** Chooses the file, or the first part, of the model that a name means. */
function choose(name: HubName, paths: readonly string[]): string {
  // Projectors and importance matrices are not models.
  const models = paths.filter((path) => partsOf(path)[0] === path && !/(^|\/)(mmproj|imatrix)/i.test(path));
  const only = name.quant === undefined && models.length === 1 ? models : undefined;
  const quants = name.quant === undefined ? usualQuants : [name.quant];
  const found = only ?? quants.map((quant) => ofQuant(models, quant)).find((some) => some.length > 0);
  const [one, another] = found ?? [];
  if (one === undefined)
    throw downloadFailed(`${name.repository} has no GGUF${name.quant ? ` of ${name.quant}` : ""}${listing(models)}`);
  if (another !== undefined)
    throw downloadFailed(
      `${name.repository} has several that are meant; name one, as in hf:${name.repository}/${one}${listing(found ?? [])}`,
    );
  return one;
}

/** The models with the quantization as a word of their path; among these, the ones with the shortest name. */
function ofQuant(models: readonly string[], quant: string): string[] {
  const word = new RegExp(`(^|[-._/])${quant.replaceAll(".", "\\.")}([-._/]|$)`, "i");
  const matching = models.filter((path) => word.test(path));
  const shortest = Math.min(...matching.map((path) => path.length));
  return matching.filter((path) => path.length === shortest);
}

function listing(paths: readonly string[]): string {
  if (paths.length === 0) return "; there are none";
  const shown = paths.slice(0, 20).join(", ");
  return `; there are ${shown}${paths.length > 20 ? ` and ${paths.length - 20} more` : ""}`;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
