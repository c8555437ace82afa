// Modules that options name (--hooks, --tools, --session). Must not: know what they export.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isA } from "../../base/thrown.js";
import { FileError, thrownText, whereOf } from "../process/error-text.js";
import { offerOwnPackage } from "./own-package.js";
import { UsageError } from "../process/exit.js";

/**
 * What a module exports. `llama-hooks` in it is this copy of the package where no other can be found from there. Errors:
 * {@link UsageError} where there is no such file; {@link FileError} with the place in it where it failed.
 */
export async function loadModule(option: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const at = path.resolve(file);
  const found = statSync(at, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${option} ${file}: no such file`);
  if (found.isDirectory()) throw new UsageError(`${option} ${file}: it is a folder`);
  offerOwnPackage();
  const load = async (): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(at).href)) as Record<string, unknown>;
  return inFile(`${option} ${file}`, load, (error) => placeOf(error, at));
}

/** Runs code of a file: what fails in it names the file, also that nothing can settle any more what it waits for. */
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

/** Where Node's own errors do not say it. */
function placeOf(error: unknown, file: string): string | undefined {
  if (isA(error, SyntaxError)) return placeOfSyntaxError(file);
  return isA(error, Error) && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    ? placeOfImport(error)
    : undefined;
}

/** The error of an ES module that cannot be parsed has no place; Node's own check of the file has. */
function placeOfSyntaxError(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
  const lines = stderr.split("\n").slice(0, 3);
  return /:\d+$/.test(lines[0] ?? "") ? lines.map((line) => `    ${line}`).join("\n") : undefined;
}

/** The line that imports what there is not, in the file that the error names. */
function placeOfImport({ message }: Error): string | undefined {
  const [, missing, importer = ""] = /^Cannot find \w+ '(.+)' imported from (.+)$/s.exec(message) ?? [];
  if (missing === undefined || !existsSync(importer)) return undefined;
  const name = path.basename(missing);
  const lines = readFileSync(importer, "utf8").split("\n");
  const index = lines.findIndex((line) => /\b(?:import|from)\b/.test(line) && line.includes(name));
  return index < 0 ? undefined : `    ${importer}:${index + 1}\n    ${lines[index]}`;
}
