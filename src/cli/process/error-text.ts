// Describes failures: the cause, and the place in the user's own files.
import { fileURLToPath } from "node:url";
import { errorSays, messageOf, shown } from "../../base/thrown.js";
import { wrap } from "../../base/wrap.js";
import { LlamaHooksError } from "../../base/errors.js";
import { sanitize } from "./sanitize.js";

/** A failure as the command reports it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Lines that show the place in the user's code. Places in Node and in this package are left out. */
  readonly where?: string;
}

/** An error of a file that an option names. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly where: string | undefined;

  constructor(message: string, where: string | undefined, cause: unknown) {
    super(message, { cause });
    this.where = where;
  }
}

export function failureOf(error: unknown): Failure {
  const behind = error instanceof FileError ? error.cause : error;
  const code = LlamaHooksError.isInstance(behind) ? behind.code : "FAILED";
  return {
    code,
    message: messageOf(error),
    ...(error instanceof FileError && error.where !== undefined && { where: error.where }),
  };
}

/** The line on stderr with which every failed command ends, and the lines that show the place. */
export function failureText({ code, message, where }: Failure): string {
  const line = errorLine(sanitize(`${message} (${code})`));
  return where === undefined ? line : `${line}\n${sanitize(where)}`;
}

/** The form in which every error message begins. On a terminal it is wrapped between words. */
export function errorLine(message: string): string {
  const { isTTY, columns = 80 } = process.stderr;
  const text = `llama-hooks: ${message}`;
  return isTTY ? wrap(text, columns).join("\n") : text;
}

/**
 * Describes a thrown value in one line. Errors of this package are printed without their name, because their code says
 * more.
 */
export function thrownText(thrown: unknown): string {
  const said = errorSays(thrown);
  if (said === undefined) return `it threw ${shown(thrown)}`;
  const { name, message } = said;
  return LlamaHooksError.isInstance(thrown) || name === "Error" ? message : `${name}: ${message}`;
}

/** The place of a module as Node and Deno show it, and as Bun shows it. */
const placesOf = (url: URL): readonly string[] => [url.href, fileURLToPath(url)];

const ownFiles = [new URL("../..", import.meta.url).href, fileURLToPath(new URL("..", import.meta.url))];
/** The paths of this folder as tsc has written it, and in the bundle (scripts/build/bundle.mjs). */
const commandFiles = ["..", "../../bundle/command"].flatMap((file) => placesOf(new URL(file, import.meta.url)));

/**
 * Finds the place of an error: the stack frames in the user's own code and, if Node could not parse the code, the lines
 * in which Node shows it. Undefined if there is nothing useful.
 */
export function whereOf(error: unknown): string | undefined {
  const said = errorSays(error);
  if (said === undefined) return undefined;
  const lines = shown(error, (it) => String((it as Error).stack)).split("\n");
  const headline = lines.findIndex((line) => line.startsWith(said.name));
  const source = lines.slice(0, Math.max(headline, 0)).filter((line) => line.trim() !== "");
  const frames = lines.filter((line) => line.startsWith("    at "));
  const callers = frames.findIndex((frame) => commandFiles.some((place) => frame.includes(place)));
  const own = frames.slice(0, callers < 0 ? undefined : callers).filter((frame) => !isForeign(frame));
  const where = [...source.map((line) => `    ${line}`), ...own];
  return where.length === 0 ? undefined : where.join("\n");
}

/** True for frames of Node, of this package, or of no file. */
function isForeign(frame: string): boolean {
  return frame.includes("node:") || ownFiles.some((place) => frame.includes(place)) || !/:\d+:\d+\)?$/.test(frame);
}
