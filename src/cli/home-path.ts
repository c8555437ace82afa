// `~` in paths, where no shell has seen to it: in `--model=~/a.gguf`, in quotes, in a chat. Must not: touch other paths.
import { homedir } from "node:os";
import path from "node:path";

/** `~` and `~/...` stand for the home folder; all else, names of models to fetch among it, is as it was. */
export function expandHome(text: string): string {
  return text === "~" || /^~[\\/]/.test(text) ? path.join(homedir(), text.slice(1)) : text;
}
