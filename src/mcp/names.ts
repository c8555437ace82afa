// The names that a server's tools have for the model.
import { createHash } from "node:crypto";
import { longestToolName } from "../base/names/tool-name.js";

/**
 * 1 to 128 letters, digits, `_` and `-`. Other characters become `_`; a name that is too long ends with a hash of the
 * whole, so that it stays the same from list to list and differs from others with the same beginning.
 */
export function toolName(prefix: string | undefined, name: string): string {
  const head = prefix === undefined ? "" : `${prefix}__`;
  const plain = head + name.replace(/[^A-Za-z0-9_-]/gu, "_");
  if (plain.length <= longestToolName) return plain;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${plain.slice(0, longestToolName - hash.length - 1)}_${hash}`;
}
