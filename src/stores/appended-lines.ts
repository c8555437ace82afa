// The lines that a folder store appends to the file of a session: one for each change, with a hash of itself. Must not:
// treat a line that a killed process left incomplete as damage; the saves before it are whole.
import { createHash } from "node:crypto";
import type { RecordChange, SessionChange, SessionInfo } from "./session-store.js";

/** A line of a file, with its fields of the session still as JSON. */
export interface AppendedLine {
  readonly change: RecordChange;
  readonly stored: unknown;
}

const infoKey = ',"stored":';
const hashKey = ',"sha256":"';
const hashLength = 16;
const end = '"}\n';
const tailLength = hashKey.length + hashLength + end.length;

/** The line of a change. `version`: that of the file. */
export function appendedLine({ from, edits, ...info }: SessionChange, version: number): string {
  const line = `{"from":${from},"edits":${JSON.stringify(edits)}${infoKey}${JSON.stringify({ version, ...info })}`;
  return `${line}${hashKey}${hashOf(line)}${end}`;
}

/**
 * Reads the lines that follow a record. The part of a last line that a killed process, or a machine that lost its
 * power, has left is skipped. Throws, with the number of the line, if one is damaged.
 */
export function readAppended(text: string): readonly AppendedLine[] {
  const lines: AppendedLine[] = [];
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("\n", at) + 1;
    if (next === 0) break; // incomplete
    const line = text.slice(at, next);
    at = next;
    const isTorn = at === text.length && line.includes("\0"); // a part that the disk never got reads as zeros
    if (isTorn) break;
    if (!isWhole(line)) throw new Error(`appended line ${lines.length + 1} is damaged`);
    lines.push(partsOfLine(line));
  }
  return lines;
}

/**
 * The fields of the session in the last line, from the end of a file. `record`: the file ends with its record, so
 * nothing has been appended. Undefined: the end does not show it.
 */
export function storedAtEnd(tail: string): { readonly stored: unknown } | "record" | undefined {
  if (!tail.endsWith("}\n") || tail.includes("\0")) return undefined;
  if (!tail.endsWith(end)) return "record";
  const at = tail.lastIndexOf(infoKey);
  try {
    return at === -1 ? undefined : { stored: (JSON.parse(`{${tail.slice(at + 1)}`) as AppendedLine).stored };
  } catch {
    return undefined; // these are fields within the fields
  }
}

function isWhole(line: string): boolean {
  const at = line.length - tailLength;
  return at > 0 && line.slice(at) === `${hashKey}${hashOf(line.slice(0, at))}${end}`;
}

function partsOfLine(line: string): AppendedLine {
  const { stored, ...change } = JSON.parse(line) as RecordChange & { readonly stored: SessionInfo };
  return { change, stored };
}

/** A hash that finds damage. It is not a signature. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, hashLength);
}
