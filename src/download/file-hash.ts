// Hashes files.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";

/** The SHA-256 of a file's content, to which more data can be added. */
export async function hashOf(file: string): Promise<Hash> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash;
}
