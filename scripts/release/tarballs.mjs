// Packed tarballs, read without unpacking them: Windows has no tar that all shells agree on.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const BLOCK = 512;

/** The text between two offsets of a tar header, up to the first zero byte. */
const field = (tar, from, to) => tar.toString("utf8", from, to).replace(/\0.*$/s, "");

function fileOf(tar, wanted) {
  for (let at = 0; at + BLOCK <= tar.length;) {
    const size = Number.parseInt(field(tar, at + 124, at + 136) || "0", 8);
    const begin = at + BLOCK;
    if (field(tar, at, at + 100) === wanted) return tar.toString("utf8", begin, begin + size);
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`there is no ${wanted} in it`);
}

/** The package.json of a tarball, its content, and the integrity that a registry computes for it. */
export function readTarball(file) {
  const content = readFileSync(file);
  try {
    const manifest = JSON.parse(fileOf(gunzipSync(content), "package/package.json"));
    return { file, content, manifest, integrity: `sha512-${createHash("sha512").update(content).digest("base64")}` };
  } catch (error) {
    throw new Error(`${file} is no package: ${error.message}`, { cause: error });
  }
}

/** All tarballs of a folder. */
export function readTarballs(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  return names.toSorted().map((name) => readTarball(join(folder, name)));
}
