// What options take, and what commander says of it. Must not: know which options there are.
import { homedir } from "node:os";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";

/** The numbers that an option takes. */
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

export function integer(min: number): (text: string) => number {
  return numberIn({ isInteger: true, min });
}

/**
 * Replaces a leading `~` or `~/` with the home folder, where the shell has not done it: in `--model=~/a.gguf`, in quotes,
 * in a chat. Leaves every other text as it is, such as the name of a model to fetch.
 */
export function expandHome(text: string): string {
  return text === "~" || /^~[\\/]/.test(text) ? path.join(homedir(), text.slice(1)) : text;
}

/** A path, or what begins with one. */
export function filePath(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return expandHome(text);
}

/** A number, or one of some words. Shells offer those of its values that can be told; help says them in words. */
export class NumberOption extends Option {
  offers: readonly string[] = [];
}

/** An option with a file, or whatever begins with the path of one. */
export function file(flags: string, description: string): Option {
  return new Option(flags, description).argParser(filePath);
}

/** An option with a file that may be given several times. */
export function files(flags: string, description: string): Option {
  return new Option(`${flags}`, `${description}; repeatable`)
    .argParser((value: string, before: string[]) => [...before, filePath(value)])
    .default([], "none");
}
