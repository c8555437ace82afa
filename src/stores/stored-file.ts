// A stored session as a file: one JSON object in two lines, and a line for each change since (appended-lines.ts). The
// first line, or the last change, says what a list shows, so that a list reads no conversations. The second line is the
// record, which is never parsed, because numbers would change.
import { stat } from "node:fs/promises";
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { openRegularFile, readRegularText } from "../base/files/regular-file.js";
import { messageOf } from "../base/thrown.js";
import { appendedLine, readAppended, storedAtEnd } from "./appended-lines.js";
import { applyChanges } from "./apply-changes.js";
import { checkInfo } from "./session-info.js";
import { summaryOf } from "./record-summary.js";
import type { SessionChange, SessionInfo, StoredRecord } from "./session-store.js";

const version = 2;
const opening = '{"stored":';
const recordKey = '"record":';
/** The bytes of an end: the first line, or the fields of an appended one, unless a session has very long tags. */
const endBytes = 16_384;

/** The text of the file. */
export function fileText({ record, ...info }: StoredRecord): string {
  const stored = JSON.stringify({ version, ...info });
  return `${opening}${stored},"length":${record.length},\n${recordKey}${record}}\n`;
}

/** A line to append to the file. */
export function changeText(change: SessionChange): string {
  return appendedLine(change, version);
}

/** Errors: SESSION_FILE_INVALID, with the file and the reason; those of the file system. */
export async function readStored(file: string, id: string): Promise<StoredRecord> {
  const text = await reading(file, () => readRegularText(file));
  if (!text.startsWith(opening)) return { ...(await plainInfo(file, id, text)), record: text };
  const start = text.indexOf("\n") + 1;
  const { info, length } = firstLineOf(file, id, text.slice(0, Math.max(start - 1, 0)));
  const end = start + recordKey.length + length;
  if (!text.startsWith(recordKey, start) || !text.startsWith("}\n", end))
    throw invalid(file, "it is cut off or has been edited");
  const record = text.slice(start + recordKey.length, end);
  return withChanges(file, id, { ...info, record }, text.slice(end + 2));
}

function withChanges(file: string, id: string, base: StoredRecord, appended: string): StoredRecord {
  if (appended === "") return base;
  const { lines, record } = checked(file, () => {
    const lines = readAppended(appended);
    return {
      lines,
      record: applyChanges(
        base.record,
        lines.map(({ change }) => change),
      ),
    };
  });
  const last = lines.at(-1);
  return last === undefined ? base : { ...infoOf(file, id, last.stored), record };
}

/** Reads all but the record, from the beginning and the end only. Errors: as `readStored()`. */
export async function readInfo(file: string, id: string): Promise<SessionInfo> {
  const { head, tail } = await reading(file, () => endsOf(file));
  const appended = head.startsWith(opening) ? storedAtEnd(tail) : undefined;
  const firstLine = head.slice(0, Math.max(head.indexOf("\n"), 0));
  if (appended === "record" && firstLine !== "") return firstLineOf(file, id, firstLine).info;
  if (appended !== undefined && appended !== "record") return infoOf(file, id, appended.stored);
  const { record: _, ...info } = await readStored(file, id);
  return info;
}

async function endsOf(file: string): Promise<{ head: string; tail: string }> {
  const handle = await openRegularFile(file);
  try {
    const { size } = await handle.stat();
    const read = async (at: number): Promise<string> => {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(endBytes), 0, endBytes, at);
      return buffer.toString("utf8", 0, bytesRead);
    };
    const head = await read(0);
    return { head, tail: size > endBytes ? await read(size - endBytes) : head };
  } finally {
    await handle.close();
  }
}

/** A file that cannot be read is damaged, unless it is gone, or the process or the machine is short of a resource. */
async function reading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (["ENOENT", "EMFILE", "ENFILE", "ENOMEM"].includes(code ?? "")) throw error;
    throw invalid(file, messageOf(error));
  }
}

/** A damaged file in a list. */
export async function infoOfDamaged(file: string, id: string, error: LlamaHooksError): Promise<SessionInfo> {
  return { id, tags: {}, ...(await timesOf(file)), messages: 0, error };
}

function firstLineOf(file: string, id: string, line: string): { info: SessionInfo; length: number } {
  const { stored, length } = checked(file, () => JSON.parse(line.replace(/,$/, "}")) as Record<string, unknown>);
  const info = infoOf(file, id, stored);
  if (!Number.isSafeInteger(length)) throw invalid(file, "it lacks the length of its record");
  return { info, length: length as number };
}

function infoOf(file: string, id: string, stored: unknown): SessionInfo {
  if (!isObject(stored)) throw invalid(file, "stored is no object");
  const { version: found, ...info } = stored;
  if (found !== version)
    throw invalid(file, `it is of version ${String(found)}, and this one reads version ${version}`);
  if (info["id"] !== id) throw invalid(file, `it is the file of the session ${String(info["id"])}`);
  return checked(file, () => checkInfo(info));
}

/** Returns what `work` returns. Errors: SESSION_FILE_INVALID, with the file and the reason, if it throws. */
function checked<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
}

/** The file of a session that `session.save(path)` has written. */
async function plainInfo(file: string, id: string, text: string): Promise<SessionInfo> {
  const times = await timesOf(file);
  return checked(file, () => ({ id, tags: {}, ...times, ...summaryOf(text) }));
}

async function timesOf(file: string): Promise<{ createdAt: number; updatedAt: number }> {
  const { mtimeMs } = await stat(file);
  return { createdAt: Math.floor(mtimeMs), updatedAt: Math.floor(mtimeMs) };
}

function invalid(file: string, why: string): LlamaHooksError {
  return new LlamaHooksError("SESSION_FILE_INVALID", `${file}: ${why}`);
}
