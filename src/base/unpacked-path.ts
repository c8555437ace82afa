// Paths into archives of Electron, in which JavaScript can read files, but the system's loader, llama.cpp and other
// processes cannot.
import { existsSync } from "node:fs";

const intoArchive = /\.asar(?=[\\/])/;

/** The place beside the archive of a file or folder that was left out of it (`asarUnpack`); any other path as it is. */
export function unpackedPath(file: string): string {
  const unpacked = file.replace(intoArchive, ".asar.unpacked");
  return unpacked !== file && existsSync(unpacked) ? unpacked : file;
}

/** True if the path leads into an archive. */
export function isPacked(file: string): boolean {
  return intoArchive.test(file);
}
