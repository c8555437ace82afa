// What `run` asks: an argument, an option, or what comes in. Must not: run it.
import { text } from "node:stream/consumers";
import { UsageError } from "../process/exit.js";

/** Undefined when nothing says it. `-` reads stdin, and so does nothing at all when stdin is no terminal. */
export async function readPrompt(
  argument: string | undefined,
  option: string | undefined,
): Promise<string | undefined> {
  if (argument !== undefined && option !== undefined)
    throw new UsageError("the prompt is given twice: as an argument and with --prompt");
  const given = argument ?? option;
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && process.stdin.isTTY) return undefined;
  const read = (await text(process.stdin)).replace(/\r?\n$/, ""); // the end of the last line is no part of the text
  if (given === "-" && read === "") throw new UsageError("the prompt is to come from stdin (-), and nothing came");
  return read === "" ? undefined : read;
}
