// The cache against links, forged notes and changed files, and downloads against servers that are not the right ones.
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { cachedModels, createEngine, downloadModel, removeCachedModel } from "../../src/index.js";
import { filesIn, gguf, MiB, name, setUp, sha256 } from "../support/downloads.js";
import { rejection, tempDir } from "../support/engine.js";

afterEach(() => vi.unstubAllGlobals());

const folder = "models/hub/user/repo/main";
const failed = (message: RegExp) => ({
  code: "DOWNLOAD_FAILED",
  message: expect.stringMatching(message) as string,
});

test("a link in the place of a part, a model, a folder, a note or a lock is named and not followed", async () => {
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const outside = await tempDir();
  const precious = path.join(outside, "precious");
  const file = path.join(cacheFolder, folder, "model-Q4_K_M.gguf");
  await mkdir(path.dirname(file), { recursive: true });
  for (const [at, target] of [
    [`${file}.part`, precious],
    [`${file}.part.json`, precious],
    [file, precious],
    [path.join(cacheFolder, folder), outside],
    [path.join(cacheFolder, "models/hub/user"), outside],
  ] as const) {
    await writeFile(precious, "precious");
    await rm(at, { recursive: true, force: true });
    await symlink(target, at);
    expect(await rejection(downloadModel(name, options))).toMatchObject(failed(/ is a symbolic link/));
    expect(((await rejection(downloadModel(name, options))) as Error).message).toContain(at);
    expect([await readFile(precious, "utf8"), await readdir(outside)]).toEqual(["precious", ["precious"]]);
    await rm(at);
    await mkdir(path.dirname(file), { recursive: true });
  }
  const fetched = await downloadModel(name, options);
  const note = (await filesIn(cacheFolder)).find((one) => one.endsWith(".model.json")) ?? "";
  await rename(path.join(cacheFolder, "models", note), path.join(outside, "note"));
  await symlink(path.join(outside, "note"), path.join(cacheFolder, "models", note));
  expect(await rejection(downloadModel(name, options))).toMatchObject(failed(/\.model\.json is a symbolic link/));
  expect(await cachedModels({ cacheFolder })).toEqual([]);
  expect((await stat(fetched.path)).size).toBe(MiB);
  expect(hub.asked.length).toBeGreaterThan(0);
});

test("files and folders of the cache are for their owner alone", async () => {
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const deeper = path.join(cacheFolder, "new");
  hub.misbehave({ pauseMs: 20 });
  const modes = new Set<string>();
  const look = async (): Promise<void> => {
    const found = await readdir(deeper, { recursive: true, withFileTypes: true });
    const all = [deeper, ...found.map((one) => path.join(one.parentPath, one.name))];
    for (const stats of await Promise.all(all.map((one) => lstat(one).catch(() => undefined))))
      if (stats !== undefined) modes.add(`${stats.isFile() ? "file" : "folder"} ${(stats.mode & 0o777).toString(8)}`);
  };
  const looks: Promise<void>[] = [];
  await downloadModel(name, { ...options, cacheFolder: deeper, onProgress: () => void looks.push(look()) });
  await Promise.all(looks);
  await look();
  expect([...modes].toSorted()).toEqual(["file 600", "folder 700"]);
});

test("a note that names files elsewhere deletes nothing and is not used", async () => {
  const { cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const { path: file } = await downloadModel(name, options);
  const outside = path.join(await tempDir(), "precious.gguf");
  await writeFile(outside, gguf(100));
  const models = path.join(cacheFolder, "models");
  const noteFile = path.join(models, (await readdir(models)).find((one) => one.endsWith(".model.json")) ?? "");
  const note = JSON.parse(await readFile(noteFile, "utf8")) as { files: { path: string }[] };
  const ways = path.join(models, "hub", "way");
  await symlink(path.dirname(outside), ways);
  for (const forged of [
    path.relative(models, outside),
    outside,
    "hub/../../../x",
    path.basename(noteFile),
    "hub",
    "hub/way/precious.gguf",
  ]) {
    const files = [note.files[0], { ...note.files[0], path: forged, size: 100, sha256: sha256(gguf(100)) }];
    await writeFile(noteFile, JSON.stringify({ ...note, files }));
    expect(await rejection(removeCachedModel(name, { cacheFolder })), forged).toMatchObject(
      failed(/\.model\.json names .* no file of a downloaded model/),
    );
    expect(await rejection(downloadModel(name, options)), forged).toMatchObject(failed(/no file of a downloaded/));
    expect(await cachedModels({ cacheFolder })).toEqual([]);
    for (const one of [outside, file, noteFile]) expect((await stat(one)).isFile()).toBe(true);
  }
  await rm(noteFile);
  await rm(ways);
  expect((await downloadModel(name, options)).path).toBe(file);
});

test("a changed file of the same size is refused; one that only looks changed is hashed once", async () => {
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const model = await downloadModel(name, options);
  const bytes = await readFile(model.path);
  const { mtime } = await stat(model.path);
  await utimes(model.path, new Date(), new Date(1e12));
  expect(await downloadModel(name, options)).toEqual(model);
  await chmod(model.path, 0); // hashing would fail now
  if (process.getuid?.() !== 0) expect((await downloadModel(name, options)).files).toEqual(model.files);
  await chmod(model.path, 0o600);
  await writeFile(model.path, gguf(MiB));
  const changed = failed(/model-Q4_K_M\.gguf is not as it was downloaded: SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}/);
  expect(await rejection(downloadModel(name, options))).toMatchObject(changed);
  // With the old time only a check on demand finds it.
  await writeFile(model.path, bytes);
  await utimes(model.path, mtime, mtime);
  await downloadModel(name, options);
  const { mtime: known } = await stat(model.path);
  await writeFile(model.path, gguf(MiB));
  await utimes(model.path, known, known);
  expect(await rejection(downloadModel(name, { ...options, verify: true }))).toMatchObject(changed);
  await removeCachedModel(name, { cacheFolder });
  expect((await downloadModel(name, options)).size).toBe(MiB);
  expect(hub.asked).toHaveLength(2);
});

test("#sha256= pins a file: after its download, and when it comes from the cache", async () => {
  const file = gguf(MiB);
  const split = Object.fromEntries([1, 2].map((n) => [`s-0000${n}-of-00002.gguf`, gguf(100)]));
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": file, ...split });
  const right = `#sha256=${sha256(file)}`;
  const wrong = `#sha256=${"0".repeat(64)}`;
  const address = `${hub.endpoint}/files/model-Q4_K_M.gguf`;
  expect(await rejection(downloadModel(address + wrong, options))).toMatchObject(
    failed(/is damaged: SHA-256 [0-9a-f]{64}, expected 0{64}$/),
  );
  expect(await filesIn(cacheFolder)).toEqual([]);
  const model = await downloadModel(address + right.toUpperCase().replace("SHA256", "sha256"), options);
  expect([model.name, model.files[0]?.sha256]).toEqual([address, sha256(file)]);
  expect((await downloadModel(address, options)).path).toBe(model.path);
  expect(await rejection(downloadModel(address + wrong, options))).toMatchObject(
    failed(/SHA-256 is .*, expected 0{64}$/),
  );
  expect(hub.asked).toEqual(["all", "all"]);
  // Neither the time of the file nor the note of the cache is believed.
  const { mtime } = await stat(model.path);
  await writeFile(model.path, gguf(MiB));
  await utimes(model.path, mtime, mtime);
  expect(await rejection(downloadModel(address + right, options))).toMatchObject(failed(/not as it was downloaded/));
  await removeCachedModel(address + right, { cacheFolder });

  expect((await downloadModel(`${name}${right}`, options)).name).toBe(name);
  await removeCachedModel(name, { cacheFolder });
  expect(await rejection(downloadModel(`${name}${wrong}`, options))).toMatchObject(failed(/expected 0{64}$/));
  const asked = hub.asked.length;
  for (const form of ["#", "#sha256=", "#sha256=abc", `#md5=${"0".repeat(32)}`, `${right}0`, "#model"])
    expect(await rejection(downloadModel(address + form, options)), form).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(await rejection(downloadModel(`${hub.endpoint}/files/s-00001-of-00002.gguf${right}`, options))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/one file, but the model has 2/) as string,
  });
  expect(hub.asked).toHaveLength(asked);
});

test("plain HTTP is refused unless it is allowed, also where a server redirects to it", async () => {
  const file = gguf(MiB);
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: URL) => {
    asked.push(url.href);
    const location = { "https://away.invalid/a.gguf": "http://plain.invalid/a.gguf", "https://home.invalid/a.gguf": "http://localhost:1/a.gguf" }[url.href]; // prettier-ignore
    if (location !== undefined) return Promise.resolve(new Response(null, { status: 302, headers: { location } }));
    return Promise.resolve(new Response(new Uint8Array(file), { headers: { "content-length": String(file.length) } }));
  });
  const { hub, options } = await setUp({});
  const plain = "http://plain.invalid/a.gguf";
  const refused = failed(/ is not encrypted.*allowHttp.*--allow-http$/);
  expect(await rejection(downloadModel(plain, options))).toMatchObject(refused);
  expect(await rejection(downloadModel(name, { ...options, endpoint: "http://plain.invalid" }))).toMatchObject(refused);
  expect(await rejection(createEngine({ model: plain }))).toMatchObject(refused);
  expect(asked).toEqual([]);
  for (const from of ["https://away.invalid/a.gguf", "https://home.invalid/a.gguf"]) {
    expect(await rejection(downloadModel(from, options))).toMatchObject(failed(/redirects to .* not encrypted/));
    expect(asked.splice(0)).toEqual([from]);
  }
  expect((await downloadModel(plain, { ...options, allowHttp: true })).size).toBe(MiB);
  expect((await downloadModel("https://away.invalid/a.gguf", { ...options, allowHttp: true })).size).toBe(MiB);
  expect(asked).toEqual([plain, "https://away.invalid/a.gguf", plain]);
  // A cached model needs no server.
  expect((await downloadModel(plain, options)).size).toBe(MiB);
  expect(hub.asked).toEqual([]);
  expect(await rejection(createEngine({ model: plain, allowHttp: 1 as never }))).toBeInstanceOf(TypeError);
});
