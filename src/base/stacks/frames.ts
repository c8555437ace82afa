// Reads the frames of stacks: which are those of the package, and where the others are.
import { fileURLToPath } from "node:url";

/** A file as a stack names it, an address or a path, and the line in it. */
export interface Place {
  readonly file: string;
  readonly row: number;
}

const absolute = "(?:[a-z-]+:\\/\\/|[A-Za-z]:[\\\\/]|\\/)";
/** `at name (file:row:column)`; folders may have parentheses and spaces in their names. */
const named = new RegExp(`^at .*?\\((${absolute}.*):(\\d+):\\d+\\)$`);
const unnamed = new RegExp(`^at (?:async )?(${absolute}.*):(\\d+):\\d+$`);

/** The lines of the frames; none where a stack was not kept, or is not a text (`Error.prepareStackTrace`). */
export function framesOf(stack: unknown): string[] {
  return typeof stack === "string" ? stack.split("\n").filter((line) => /^\s+at /.test(line)) : [];
}

/** Undefined: the frame is in no file. */
export function placeOf(frame: string): Place | undefined {
  const text = frame.trim();
  if (text.includes("(eval at ")) return undefined;
  const [, file, row] = (text.endsWith(")") ? named : unnamed).exec(text) ?? [];
  return file === undefined || file.startsWith("node:") ? undefined : { file, row: Number(row) };
}

/** The path of a file that a stack names by its address. Other addresses stay as they are. */
export function pathOf(file: string): string {
  if (!file.startsWith("file:")) return file;
  try {
    return fileURLToPath(file.replace(/\?.*$/, "")); // a loader's query
  } catch {
    return file;
  }
}

/** The beginnings of the paths of the package's files, or of the program's file that contains the package. */
const own = ownFolders(placeOf(framesOf(new Error().stack)[0] ?? "")?.file ?? "", import.meta.url);

/** True: a program has put the package into one of its files, which may have the program's frames, too. */
export const isBundled: boolean = own.length === 1;

export function isOwn({ file }: Place): boolean {
  const path = pathOf(file);
  return own.some((begin) => path.startsWith(begin));
}

/** True for the package's command, which calls the package, but not for a user's code. */
export function isCommand(place: Place): boolean {
  return isOwn(place) && /[\\/](?:bundle[\\/]command[^\\/]*|cli[\\/].*)$/.test(place.file);
}

/** `here`: this file, as stacks name it. `module`: its address; in the package's bundle, that of tsc's output. */
function ownFolders(here: string, module: string): readonly string[] {
  const file = pathOf(here);
  const [path, root = "", end = ""] =
    /^(.*([\\/]))(?:src|dist)[\\/]base[\\/]stacks[\\/]frames\.[jt]s$/.exec(pathOf(module)) ?? [];
  const folders = ["src", "dist"].map((name) => root + name + end);
  const source = `${folders[0]}base${end}stacks${end}frames.ts`; // by a source map
  if (
    (file === "" && path !== undefined) ||
    file === path ||
    file === source ||
    file.startsWith(`${folders[1]}bundle${end}`)
  )
    return folders;
  return [file === "" ? "\0" : file];
}
