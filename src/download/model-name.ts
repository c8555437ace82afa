// Parses names of downloadable models: "hf:user/repo:quant", "hf:user/repo/file.gguf", or an address.
import { LlamaHooksError } from "../base/errors.js";
import { downloadFailed } from "./download-failed.js";

/** A GGUF file in a hub's repository: by quantization, by path, or the default choice if neither is given. */
export interface HubName {
  readonly kind: "hub";
  /** "user/repo". */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  readonly quant?: string;
  /** Path of the file in the repository; for a split model, of its first part. */
  readonly file?: string;
}

/** A GGUF file at an address. */
export interface AddressName {
  readonly kind: "address";
  readonly url: URL;
}

/** The hub's prefix in the spellings that other tools use. */
const prefix = /^(?:hf|huggingface)(?::|\.co\/)/;
const hubHost = /^(?:www\.)?(?:hf|huggingface)\.co$/;

/** A name without its pin, and the pin: the SHA-256 that the file must have, in lower case. */
export interface PinnedName {
  readonly name: string;
  readonly sha256?: string;
}

/**
 * Splits `#sha256=<64 hex>` from a name. Any other fragment is refused, because a pin with a typo must not be ignored.
 * Errors: INVALID_ARGUMENT.
 */
export function splitPin(name: string): PinnedName {
  const at = name.indexOf("#");
  if (at < 0) return { name };
  const [, sha256] = /^#sha256=([0-9a-f]{64})$/i.exec(name.slice(at)) ?? [];
  if (sha256 !== undefined) return { name: name.slice(0, at), sha256: sha256.toLowerCase() };
  throw new LlamaHooksError(
    "INVALID_ARGUMENT",
    `The part behind # in the name of a model must be sha256= and 64 hexadecimal digits, got ${JSON.stringify(name.slice(at))}`,
  );
}

/** The valid forms of names, for messages. */
export const nameForms =
  "names of downloadable models are hf:user/repo, hf:user/repo:quant and hf:user/repo/file.gguf, each with @revision behind repo where it is not main, and by the address of a file, https://...";

/**
 * Normalises a name: "hf:..." also for a name that begins with the hub's host, and for the address of a file's page on
 * the hub.
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

/** True for names and addresses of downloadable models, false for paths of files. */
export function isRemote(model: string): boolean {
  return prefix.test(model) || /^https?:\/\//.test(model);
}

/** Errors: DOWNLOAD_FAILED if the name is invalid. */
export function parseModelName(name: string): HubName | AddressName {
  return prefix.test(name) ? parseHubName(name) : { kind: "address", url: parseAddress(name) };
}

function parseHubName(name: string): HubName {
  const wrong = (): LlamaHooksError => downloadFailed(`${JSON.stringify(name)} is no name of a model; ${nameForms}`);
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
  if (url === undefined || url.pathname.endsWith("/"))
    throw downloadFailed(`${JSON.stringify(name)} is not the address of a file`);
  if (url.username !== "" || url.password !== "")
    throw downloadFailed(`The address of a file at ${url.host} contains a password: remove it`);
  return url;
}

const splitPattern = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/** The paths of all parts of a split model, in order; for any other file, its own path. */
export function partsOf(file: string): string[] {
  const split = splitPattern.exec(file);
  const [, stem = "", , count = ""] = split ?? [];
  if (split === null || Number(count) === 0) return [file];
  return Array.from({ length: Number(count) }, (_, i) => `${stem}-${String(i + 1).padStart(5, "0")}-of-${count}.gguf`);
}
