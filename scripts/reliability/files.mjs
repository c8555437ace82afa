// Files that a process writes while it is killed, or while its disk fills up or fails, at each single operation: a
// saved session, a recording and a downloaded model are whole or absent, and the same work succeeds afterwards.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { node, wordsOf } from "./child.mjs";
import { shim } from "./shims.mjs";

const program = fileURLToPath(new URL("file-work.mjs", import.meta.url));
const atOnce = 4;
const mostMoments = 200;

/** A model file of 300 KB, which comes in several pieces: a header without tensors, and bytes. */
function smallModel() {
  const header = Buffer.alloc(24);
  header.write("GGUF");
  header.writeUInt32LE(3, 4);
  return Buffer.concat([header, Buffer.alloc(300_000, 7)]);
}

async function serve(content) {
  const server = createServer((request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const rest = content.subarray(from);
    const headers = { "content-length": rest.length, etag: '"one"', "accept-ranges": "bytes" };
    if (from > 0) headers["content-range"] = `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(from > 0 ? 206 : 200, headers);
    response.end(request.method === "HEAD" ? undefined : rest);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/model.gguf`, close: () => server.close() };
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Says in words which fault a reader would find in the files; undefined if there is none. */
function torn(kind, folder, hash) {
  for (const file of filesBelow(folder)) {
    if (kind === "pull") {
      if (!file.endsWith(".gguf")) continue;
      if (createHash("sha256").update(readFileSync(file)).digest("hex") !== hash) return `${file} is not whole`;
      continue;
    }
    if (!/\/(?:session|recording)\.json$/.test(file)) continue;
    try {
      const { format } = JSON.parse(readFileSync(file, "utf8"));
      if (!/^llama-hooks (?:session|recording)$/.test(format)) return `${file} has another format`;
    } catch {
      return `${file} is not whole (${statSync(file).size} bytes)`;
    }
  }
  return undefined;
}

/** Tries one moment; the faults that it shows, in words. */
async function tryMoment({ kind, fault, at, library, hash, address, base }) {
  const folder = join(base, `${kind}-${fault}-${at}`);
  mkdirSync(folder);
  // Half of the moments replace an earlier file.
  if (at % 2 === 0 && existsSync(join(base, `${kind}-whole`)))
    cpSync(join(base, `${kind}-whole`), folder, { recursive: true });
  const env = { LD_PRELOAD: library, LH_FAULT_FOLDER: folder, LH_FAULT: fault, LH_FAULT_AT: String(at) };
  const args = [program, kind, folder, ...(kind === "pull" ? [address] : [])];
  const end = await node(args, { env, limitS: 120 });
  const what = `${kind}, ${fault} at operation ${at}`;
  const faults = [];
  const killed = fault === "kill" && end.signal === "SIGKILL" && !end.hung;
  if (!killed && (end.status !== 0 || end.hung)) faults.push(`${what}: the process ${wordsOf(end)}`);
  const wrong = torn(kind, folder, hash);
  if (wrong !== undefined) faults.push(`${what}: ${wrong}`);
  const again = await node(args, { limitS: 120 });
  if (again.stdout.trim() !== "done") faults.push(`${what}: afterwards it ${wordsOf(again)} ${again.stdout.trim()}`);
  const still = torn(kind, folder, hash);
  if (still !== undefined) faults.push(`${what}: afterwards ${still}`);
  rmSync(folder, { recursive: true, force: true });
  return faults;
}

/** The operations of the work when nothing goes wrong. */
async function countOperations(kind, base, address, library) {
  const folder = join(base, `${kind}-whole`);
  mkdirSync(folder);
  const count = join(base, `${kind}-count`);
  const env = { LD_PRELOAD: library, LH_FAULT_FOLDER: folder, LH_FAULT_COUNT: count };
  const end = await node([program, kind, folder, ...(kind === "pull" ? [address] : [])], { env });
  if (end.stdout.trim() !== "done") throw new Error(`${kind} without a fault ${wordsOf(end)} ${end.stdout}`);
  if (kind === "pull") rmSync(folder, { recursive: true, force: true }); // nothing would be downloaded again
  return Number(readFileSync(count, "utf8"));
}

/** `every`: only each so many-th moment. */
export async function files({ every = 1 } = {}) {
  const library = shim("file_faults");
  const base = mkdtempSync(join(tmpdir(), "lh-files-"));
  const content = smallModel();
  const hash = createHash("sha256").update(content).digest("hex");
  const server = await serve(content);
  const counts = {};
  const faults = [];
  try {
    const moments = [];
    for (const kind of ["save", "record", "pull"]) {
      const operations = await countOperations(kind, base, server.address, library);
      if (operations === 0) faults.push(`${kind}: no operation was seen`);
      counts[kind] = operations;
      for (const fault of ["kill", "full", "io"]) {
        for (let at = 1; at <= Math.min(operations, mostMoments); at += every) {
          moments.push({ kind, fault, at, library, hash, address: server.address, base });
        }
      }
    }
    counts.moments = moments.length;
    const work = async () => {
      for (let moment = moments.shift(); moment !== undefined; moment = moments.shift()) {
        faults.push(...(await tryMoment(moment)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    server.close();
    rmSync(base, { recursive: true, force: true });
  }
  return { counts, faults };
}
