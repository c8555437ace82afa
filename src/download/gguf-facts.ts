// What the header of a GGUF file says about its model. Must not: load the model.
import { readGgufMetadata, type RawValue } from "../base/gguf-reader.js";

/** Null where the file does not say it. */
export interface GgufFacts {
  /** As llama.cpp calls it: "llama", "qwen3", ... */
  readonly architecture: string | null;
  /** Tokens that the model was trained for. */
  readonly contextLength: number | null;
}

/** A file that cannot be read says nothing. */
export async function readGgufFacts(file: string): Promise<GgufFacts> {
  try {
    const metadata = await readGgufMetadata(file);
    const architecture = text(metadata.get("general.architecture"));
    return { architecture, contextLength: whole(metadata.get(`${architecture}.context_length`)) };
  } catch {
    return { architecture: null, contextLength: null };
  }
}

// A value is its type (4 bytes) and then itself; a string has its length (8 bytes) before it.
function text(value: RawValue | undefined): string | null {
  const bytes = value && Buffer.from(value.bytes);
  return bytes?.readUInt32LE(0) === 8 ? bytes.toString("utf8", 12) : null;
}

function whole(value: RawValue | undefined): number | null {
  const bytes = value && Buffer.from(value.bytes);
  const type = bytes?.readUInt32LE(0);
  if (type === 4) return bytes?.readUInt32LE(4) ?? null;
  return type === 10 ? Number(bytes?.readBigUInt64LE(4)) : null;
}
