// Reads facts about a model from the header of its GGUF file.
import { readGgufMetadata, type RawValue } from "../base/gguf-reader.js";

/** Null where the file does not state the value. */
export interface GgufFacts {
  /** Architecture in llama.cpp's terms: "llama", "qwen3", ... */
  readonly architecture: string | null;
  /** Context length in tokens that the model was trained for. */
  readonly contextLength: number | null;
}

/** All values are null if the file cannot be read. */
export async function readGgufFacts(file: string): Promise<GgufFacts> {
  try {
    const metadata = await readGgufMetadata(file);
    const architecture = text(metadata.get("general.architecture"));
    return { architecture, contextLength: whole(metadata.get(`${architecture}.context_length`)) };
  } catch {
    return { architecture: null, contextLength: null };
  }
}

// A value is encoded as its type (4 bytes) and its content; a string's content begins with its length (8 bytes).
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
