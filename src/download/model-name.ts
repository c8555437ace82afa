// What a model that is fetched is called: "hf:user/repo:quant", "hf:user/repo/file.gguf", or an address.
// Must not: ask anybody whether it exists.
import type { LlamaHooksError } from "../base/errors.js";
import { failed } from "./failed.js";

/** A GGUF in a repository of a hub: by its quantization, by its path, or whichever is meant when neither is said. */
export interface HubName {
  readonly kind: "hub";
  /** "user/repo". */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  readonly quant?: string;
  /** Path of the file in the repository; of a split model the first part. */
  readonly file?: string;
}

/** A GGUF at an address. */
export interface AddressName {
  readonly kind: "address";
  readonly url: URL;
}

/** The hub's, as other tools write it too. */
const prefix = /^(?:hf|huggingface)(?::|\.co\/)/;
const hubHost = /^(?:www\.)?(?:hf|huggingface)\.co$/;

/** The names that there are, for messages. */
export const nameForms =
  "models are fetched by the names hf:user/repo, hf:user/repo:quant and hf:user/repo/file.gguf, each with @revision behind repo where it is not main, and by the address of a file, https://...";

/**
 * The one spelling of a name: "hf:..." also for a name that begins with the hub's host, and for the address of the page that a
 * hub has about a file.
 */
export function spelledName(name: string, endpoint: string): string {
  if (prefix.test(name)) return name.replace(prefix, "hf:");
  const url = URL.canParse(name) ? new URL(name) : undefined;
  if (url === undefined || !(url.origin === new URL(endpoint).origin || hubHost.test(url.host))) return name;
  const page = /^\/([\w.-]+\/[\w.-]+)\/blob\/([^/]+)\/(.+\.gguf)$/.exec(url.pathname);
  if (page === null) return name;
  const [repository = "", revision = "", file = ""] = page.slice(1).map(decoded);
  return `hf:${repository}${revision === "main" ? "" : `@${revision}`}/${file}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** True for names of models that are fetched, false for paths of files. */
export function isRemote(model: string): boolean {
  return prefix.test(model) || /^https?:\/\//.test(model);
}

/** Errors: DOWNLOAD_FAILED for a name that is none. */
export function parseModelName(name: string): HubName | AddressName {
  return prefix.test(name) ? parseHubName(name) : { kind: "address", url: parseAddress(name) };
}

function parseHubName(name: string): HubName {
  const wrong = (): LlamaHooksError => failed(`${JSON.stringify(name)} is no name of a model; ${nameForms}`);
  const match = /^([\w.-]+)\/([\w.-]+)(?:@([\w./-]+?))?(?::([\w.-]+)|\/([^:?#]+\.gguf))?$/.exec(
    name.replace(prefix, ""),
  );
  if (match === null) throw wrong();
  const [, user = "", repo = "", revision = "main", quant, file] = match;
  const parts = [user, repo, ...revision.split("/"), ...(file ?? "").split("/").slice(0, -1)];
  if (parts.some((part) => part === "" || part === "." || part === "..")) throw wrong();
  return {
    kind: "hub",
    repository: `${user}/${repo}`,
    revision,
    ...(quant !== undefined && { quant }),
    ...(file !== undefined && { file }),
  };
}

function parseAddress(name: string): URL {
  const url = URL.canParse(name) ? new URL(name) : undefined;
  if (url === undefined || url.pathname.endsWith("/")) throw failed(`${JSON.stringify(name)} is no address of a file`);
  if (url.username !== "" || url.password !== "")
    throw failed(`The address of a file at ${url.host} has a password in it`);
  return url;
}

const splitPattern = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/** The paths of all parts of a split model, in order; of any other the path alone. */
export function partsOf(file: string): string[] {
  const split = splitPattern.exec(file);
  const [, stem = "", , count = ""] = split ?? [];
  if (split === null || Number(count) === 0) return [file];
  return Array.from({ length: Number(count) }, (_, i) => `${stem}-${String(i + 1).padStart(5, "0")}-of-${count}.gguf`);
}
