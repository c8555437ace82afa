// Parses the values of options, and words the errors that commander prints.
import { homedir } from "node:os";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";

/** The range of an option's number. */
export interface NumberRange {
  readonly isInteger: boolean;
  readonly min: number;
  readonly max?: number;
}

export function numberIn({ isInteger, min, max }: NumberRange): (text: string) => number {
  const what = `${isInteger ? "an integer" : "a number"} of at least ${min}`;
  const message = `It must be ${what}${max === undefined ? "" : ` and at most ${max}`}.`;
  return (text) => {
    const value = Number(text);
    const isNumber = isInteger ? /^-?\d+$/.test(text) && Number.isSafeInteger(value) : Number.isFinite(value);
    if (text.trim() === "" || !isNumber || value < min || (max !== undefined && value > max))
      throw new InvalidArgumentError(message);
    return value;
  };
}

export function integer(min: number, max?: number): (text: string) => number {
  return numberIn({ isInteger: true, min, ...(max !== undefined && { max }) });
}

/**
 * Replaces a leading `~` or `~/` with the home folder if the shell has not done it: in `--model=~/a.gguf`, in quotes,
 * in a chat. All other text stays, such as the name of a model to download.
 */
export function expandHome(text: string): string {
  return text === "~" || /^~[\\/]/.test(text) ? path.join(homedir(), text.slice(1)) : text;
}

/** Parses a name or an address. */
export function name(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

/** Parses a path, or a text that begins with a path. */
export function filePath(text: string): string {
  return expandHome(name(text));
}

/**
 * The value is a number or one of several words. Shells complete the values that can be listed; the help describes
 * them.
 */
export class NumberOption extends Option {
  offers: readonly string[] = [];
}

/** An option whose value is a file, or a text that begins with a path. */
export function file(flags: string, description: string): Option {
  return new Option(flags, description).argParser(filePath);
}

/** An option whose value is a file; it may be repeated. */
export function files(flags: string, description: string): Option {
  return new Option(`${flags}`, `${description}; repeatable`)
    .argParser((value: string, before: string[]) => [...before, filePath(value)])
    .default([], "none");
}
