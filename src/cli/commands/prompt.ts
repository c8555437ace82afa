// Reads the prompt of `llama-hooks run` from an argument, an option or stdin.
import { text } from "node:stream/consumers";
import { UsageError } from "../process/exit.js";

/** Returns undefined without a prompt. `-` reads stdin. Without an argument, stdin is read if it is not a terminal. */
export async function readPrompt(
  argument: string | undefined,
  option: string | undefined,
): Promise<string | undefined> {
  if (argument !== undefined && option !== undefined)
    throw new UsageError("the prompt is given twice: as an argument and with --prompt");
  const given = argument ?? option;
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && process.stdin.isTTY) return undefined;
  const read = (await text(process.stdin)).replace(/\r?\n$/, ""); // the last line end is not part of the prompt
  if (given === "-" && read === "") throw new UsageError("the prompt should come from stdin (-), but stdin was empty");
  return read === "" ? undefined : read;
}
