// A stored session as a file: one JSON object in two lines. The first line says what a list shows, so that a list reads
// no conversations; the second is the record, which is never parsed, because numbers would change.
import { stat } from "node:fs/promises";
import { isObject } from "../base/check.js";
import { LlamaHooksError } from "../base/errors.js";
import { openRegularFile, readRegularText } from "../base/files/regular-file.js";
import { messageOf } from "../base/thrown.js";
import { checkInfo } from "./session-info.js";
import { summaryOf } from "./record-summary.js";
import type { SessionInfo, StoredRecord } from "./session-store.js";

const version = 1;
const opening = '{"stored":';
const recordKey = '"record":';
/** Enough for the first line, unless a session has very long tags. */
const headBytes = 16_384;

/** The text of the file. */
export function fileText({ record, ...info }: StoredRecord): string {
  return `${opening}${JSON.stringify({ version, ...info })},\n${recordKey}${record}}\n`;
}

/** Errors: SESSION_FILE_INVALID, with the file and the reason; those of the file system. */
export async function readStored(file: string, id: string): Promise<StoredRecord> {
  const text = await reading(file, () => readRegularText(file));
  if (!text.startsWith(opening)) return { ...(await plainInfo(file, id, text)), record: text };
  const end = text.indexOf("\n");
  const [line, rest] = [text.slice(0, end), text.slice(end + 1)];
  if (!rest.startsWith(recordKey) || !rest.endsWith("}}\n")) throw invalid(file, "it is cut off or has been edited");
  return { ...infoOf(file, id, line), record: rest.slice(recordKey.length, -2) };
}

/** As `readStored()`, without the record: reads the first line only. */
export async function readInfo(file: string, id: string): Promise<SessionInfo> {
  const head = await reading(file, () => headOf(file));
  const end = head.indexOf("\n");
  if (head.startsWith(opening) && end !== -1) return infoOf(file, id, head.slice(0, end));
  const { record: _, ...info } = await readStored(file, id);
  return info;
}

async function headOf(file: string): Promise<string> {
  const handle = await openRegularFile(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
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

function infoOf(file: string, id: string, line: string): SessionInfo {
  let stored: unknown;
  try {
    ({ stored } = JSON.parse(line.replace(/,$/, "}")) as { stored: unknown });
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
  if (!isObject(stored)) throw invalid(file, "stored is no object");
  const { version: found, ...info } = stored;
  if (found !== version)
    throw invalid(file, `it is of version ${String(found)}, and this one reads version ${version}`);
  if (info["id"] !== id) throw invalid(file, `it is the file of the session ${String(info["id"])}`);
  try {
    return checkInfo(info);
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
}

/** The file of a session that `session.save(path)` has written. */
async function plainInfo(file: string, id: string, text: string): Promise<SessionInfo> {
  try {
    return { id, tags: {}, ...(await timesOf(file)), ...summaryOf(text) };
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
}

async function timesOf(file: string): Promise<{ createdAt: number; updatedAt: number }> {
  const { mtimeMs } = await stat(file);
  return { createdAt: Math.floor(mtimeMs), updatedAt: Math.floor(mtimeMs) };
}

function invalid(file: string, why: string): LlamaHooksError {
  return new LlamaHooksError("SESSION_FILE_INVALID", `${file}: ${why}`);
}
