// API keys of `llama-hooks serve`: from a file or the environment. They must not be on the command line, because every
// user of the machine can read it. Must not: show a key in a message.
import { readRegularText } from "../../base/files/regular-file.js";
import { textOfPipe } from "../../base/files/text-of-pipe.js";
import { messageOf } from "../../base/thrown.js";
import type { KeyOptions } from "../../server/index.js";
import { UsageError } from "../process/exit.js";

/** Bytes of a file of keys. */
const mostBytes = 1_000_000;
/** Milliseconds for the writer of a pipe. */
const mostMs = 10_000;

/** The environment variable with a key. */
export const keyVariable = "LLAMA_HOOKS_API_KEY";

/**
 * Reads the keys: lines of the form `name key` or `key`, without empty lines and those that begin with `#`; and the one
 * of the environment. A key has no spaces, but may have any other character, so nothing else separates it from its
 * name. Errors: UsageError names the file and the line.
 */
export async function readKeys(file: string | undefined): Promise<KeyOptions[]> {
  const keys = file === undefined ? [] : await keysIn(file);
  const own = process.env[keyVariable];
  if (own !== undefined && own !== "") keys.push({ name: "environment", key: checkedKey(own, keyVariable) });
  return keys;
}

async function keysIn(file: string): Promise<KeyOptions[]> {
  const what = `--api-key-file ${file}`;
  let text: string;
  try {
    text = (await textOfPipe(file, { mostBytes, mostMs })) ?? (await readRegularText(file, mostBytes));
  } catch (error) {
    throw new UsageError(`${what}: ${messageOf(error)}`);
  }
  const keys = text.split("\n").flatMap((raw, index): KeyOptions[] => {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) return [];
    const at = `${what}: line ${index + 1}`;
    const parts = line.split(/\s+/);
    const [name = "", key = ""] = parts.length === 1 ? [`line-${index + 1}`, line] : parts;
    if (parts.length > 2 || !/^[\w.-]{1,64}$/.test(name))
      throw new UsageError(`${at}: it must be a key, or a name of 1 to 64 letters, digits, _, - or . and a key`);
    return [{ name, key: checkedKey(key, at) }];
  });
  // An empty file must not make the server usable without a key.
  if (keys.length === 0) throw new UsageError(`${what}: it has no key`);
  return keys;
}

function checkedKey(key: string, what: string): string {
  if (/^[\x21-\x7e]{16,512}$/.test(key)) return key;
  throw new UsageError(`${what}: a key must have 16 to 512 characters of ASCII, without spaces`);
}
