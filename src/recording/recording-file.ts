// Reads, checks and writes recordings. Must not: return a partly valid recording.
import { calledAt } from "../base/call-site.js";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as draft7 from "ajv";
import type { ValidateFunction } from "ajv";
import { isObject, requiredString } from "../base/check.js";
import { isTooDeep, maxDepth } from "../base/depth.js";
import { LlamaHooksError } from "../base/errors.js";
import { inWords } from "../base/schema-errors.js";
import { writeFileAtomically } from "../base/files/atomic-write.js";
import { readRegularText } from "../base/files/regular-file.js";
import { type Recording, recordingFormat, recordingVersion } from "./recording.js";
import { unplayable } from "./replay-options.js";

const schemaFile = new URL("../../schemas/recording.schema.json", import.meta.url);
const require = createRequire(import.meta.url);
let validate: ValidateFunction | undefined;

/**
 * Reads and checks a recording that `recordRun()` saved. Errors: NOT_FOUND if the file cannot be read;
 * RECORDING_INVALID, with place and reason.
 *
 * @example
 * ```ts
 * const recording = await readRecording("summary.json");
 * const { differences } = await replayRun(recording);
 * ```
 */
export function readRecording(path: string): Promise<Recording> {
  return calledAt(readRecording, () => read(path));
}

async function read(path: string): Promise<Recording> {
  const file = requiredString(path, "The path of a recording");
  let text: string;
  try {
    text = await readRegularText(file);
  } catch (cause) {
    throw new LlamaHooksError("NOT_FOUND", `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  try {
    return checkRecording(JSON.parse(text), file);
  } catch (cause) {
    if (cause instanceof LlamaHooksError) throw cause;
    throw invalid(file, messageOf(cause), cause);
  }
}

/** Errors: RECORDING_INVALID. */
export function checkRecording(value: unknown, what: string): Recording {
  if (!isObject(value) || value["format"] !== recordingFormat) throw invalid(what, `it is no ${recordingFormat}`);
  if (value["version"] !== recordingVersion)
    throw invalid(what, `it is of version ${JSON.stringify(value["version"])}; this reads ${recordingVersion}`);
  if (isTooDeep(value)) throw invalid(what, `values in it are nested more than ${maxDepth} levels deep`);
  validate ??= compile();
  if (!validate(value)) throw invalid(what, (validate.errors ?? []).map((error) => inWords(error, "/")).join("; "));
  const recording = value as unknown as Recording;
  const refused = unplayable(recording);
  if (refused !== null) throw invalidRecording(what, refused.place, refused.cause);
  return recording;
}

/** `place`: a JSON pointer to the invalid part; `cause`: the error that it causes. */
export function invalidRecording(what: string, place: string, cause: unknown): LlamaHooksError {
  return invalid(what, `${place}: ${messageOf(cause)}`, cause);
}

/** Errors: INVALID_ARGUMENT if the file cannot be written; the old content then stays. */
export function writeRecording(path: string, recording: Recording): Promise<void> {
  return writeFileAtomically(path, `${JSON.stringify(recording, undefined, 1)}\n`);
}

function compile(): ValidateFunction {
  const { Ajv } = require("ajv") as typeof draft7;
  return new Ajv({ strict: false }).compile(JSON.parse(readFileSync(schemaFile, "utf8")) as object);
}

function invalid(what: string, why: string, cause?: unknown): LlamaHooksError {
  return new LlamaHooksError("RECORDING_INVALID", `${what} is no recording: ${why}`, { cause });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
