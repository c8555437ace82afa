// What a file has, as a hash. Must not: know which file it is.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";

/** The SHA-256 of what a file has, which more can be added to. */
export async function hashOf(file: string): Promise<Hash> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash;
}
