// For tests of downloads: GGUF-like bytes, a hub, a cache.
import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import type { DownloadOptions, DownloadProgress } from "../../src/index.js";
import { tempDir } from "./engine.js";
import { hubServer } from "./hub-server.js";

export const MiB = 1024 * 1024;

/** A GGUF file of version 3 without metadata and tensors, followed by further bytes. */
export const gguf = (size: number): Buffer => {
  const header = Buffer.alloc(24);
  header.write("GGUF");
  header.writeUInt32LE(3, 4);
  return Buffer.concat([header, randomBytes(size - header.length)]);
};
export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export const name = "hf:user/repo:Q4_K_M";

export async function setUp(files: Readonly<Record<string, Buffer>>, token?: string) {
  const hub = await hubServer(files, token);
  const cacheFolder = await tempDir();
  const seen: DownloadProgress[] = [];
  const options = {
    cacheFolder,
    endpoint: hub.endpoint,
    onProgress: (progress) => seen.push(progress),
  } as DownloadOptions;
  return { hub, cacheFolder, seen, options };
}

export const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).map((e) => e.name);
