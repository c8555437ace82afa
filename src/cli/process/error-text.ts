// Failures in words: who failed, where in the user's own files. Must not: print them.
import { errorSays, isA, messageOf, shown } from "../../base/thrown.js";
import { wrap } from "../../base/wrap.js";
import { LlamaHooksError } from "../../index.js";
import { sanitize } from "./sanitize.js";

/** A failure as it is told. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Lines that say where: of the user's code, not of Node or of this package. */
  readonly where?: string;
}

/** A failure of a file that an option names. */
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
  const code = isA(behind, LlamaHooksError) ? behind.code : "FAILED";
  return {
    code,
    message: messageOf(error),
    ...(error instanceof FileError && error.where !== undefined && { where: error.where }),
  };
}

/** The line on stderr that every command ends with when it fails, and lines that say where. */
export function failureText({ code, message, where }: Failure): string {
  const line = errorLine(sanitize(`${message} (${code})`));
  return where === undefined ? line : `${line}\n${sanitize(where)}`;
}

/** How every message of a failure begins. On a terminal it has lines, as that would break one within a word. */
export function errorLine(message: string): string {
  const { isTTY, columns = 80 } = process.stderr;
  const text = `llama-hooks: ${message}`;
  return isTTY ? wrap(text, columns).join("\n") : text;
}

/** What was thrown, in a line: an error of this package has a code besides, which says more than its name. */
export function thrownText(thrown: unknown): string {
  const said = errorSays(thrown);
  if (said === undefined) return `it threw ${shown(thrown)}`;
  const { name, message } = said;
  return thrown instanceof LlamaHooksError || name === "Error" ? message : `${name}: ${message}`;
}

const ownFiles = new URL("../..", import.meta.url);
const commandFiles = new URL("..", import.meta.url);

/**
 * Where an error was thrown: the frames of its stack that are the user's own, and before them what Node says of the line
 * when it could not read it. Undefined: nothing that would help.
 */
export function whereOf(error: unknown): string | undefined {
  const said = errorSays(error);
  if (said === undefined) return undefined;
  const lines = shown(error, (it) => String((it as Error).stack)).split("\n");
  const headline = lines.findIndex((line) => line.startsWith(said.name));
  const source = lines.slice(0, Math.max(headline, 0)).filter((line) => line.trim() !== "");
  const frames = lines.filter((line) => line.startsWith("    at "));
  const callers = frames.findIndex((frame) => frame.includes(commandFiles.href));
  const own = frames.slice(0, callers < 0 ? undefined : callers).filter((frame) => !isForeign(frame));
  const where = [...source.map((line) => `    ${line}`), ...own];
  return where.length === 0 ? undefined : where.join("\n");
}

/** Of Node, of this package, or of no file at all. */
function isForeign(frame: string): boolean {
  return frame.includes("node:") || frame.includes(ownFiles.href) || !/:\d+:\d+\)?$/.test(frame);
}
