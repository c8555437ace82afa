// Loads the modules that options name (--hooks, --tools, --session).
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { checkRegularFile } from "../../base/files/regular-file.js";
import { isA, messageOf } from "../../base/thrown.js";
import { FileError, thrownText, whereOf } from "../process/error-text.js";
import { offerOwnPackage } from "./own-package.js";
import { UsageError } from "../process/exit.js";

/**
 * Loads a module and returns its exports. If no `llama-hooks` is installed where the module is, its imports get this
 * copy of the package. Errors: {@link UsageError} if the file does not exist; {@link FileError} with the place in the
 * file that failed.
 */
export async function loadModule(option: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const at = path.resolve(file);
  const found = statSync(at, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${option} ${file}: no such file`);
  try {
    checkRegularFile(at); // importing from a pipe would wait
  } catch (error) {
    throw new UsageError(`${option} ${file}: ${messageOf(error)}`);
  }
  offerOwnPackage();
  const load = async (): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(at).href)) as Record<string, unknown>;
  return inFile(`${option} ${file}`, load, (error) => placeOf(error, at));
}

/** Runs code of a file. An error names the file, also if the code waits for a promise that can never settle. */
export async function inFile<T>(
  file: string,
  run: () => T | PromiseLike<T>,
  otherPlace: (error: unknown) => string | undefined = () => undefined,
): Promise<T> {
  let giveUp: (() => void) | undefined;
  const never = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error("it waits for a promise that never settles"));
    process.once("beforeExit", giveUp);
  });
  try {
    return await Promise.race([(async () => run())(), never]);
  } catch (error) {
    throw new FileError(`${file}: ${thrownText(error)}`, whereOf(error) ?? otherPlace(error), error);
  } finally {
    if (giveUp !== undefined) process.off("beforeExit", giveUp);
  }
}

/** Finds the place in the file if the error does not state it. */
function placeOf(error: unknown, file: string): string | undefined {
  if (isA(error, SyntaxError)) return placeOfSyntaxError(file);
  return isA(error, Error) && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    ? placeOfImport(error)
    : undefined;
}

/** The error of an ES module that cannot be parsed states no place; the output of `node --check` does. */
function placeOfSyntaxError(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
  const lines = stderr.split("\n").slice(0, 3);
  return /:\d+$/.test(lines[0] ?? "") ? lines.map((line) => `    ${line}`).join("\n") : undefined;
}

/** Finds the line that imports the missing module, in the file that the error names. */
function placeOfImport({ message }: Error): string | undefined {
  const [, missing, importer = ""] = /^Cannot find \w+ '(.+)' imported from (.+)$/s.exec(message) ?? [];
  if (missing === undefined || !existsSync(importer)) return undefined;
  const name = path.basename(missing);
  const lines = readFileSync(importer, "utf8").split(/\r?\n/);
  const index = lines.findIndex((line) => /\b(?:import|from)\b/.test(line) && line.includes(name));
  return index < 0 ? undefined : `    ${importer}:${index + 1}\n    ${lines[index]}`;
}
