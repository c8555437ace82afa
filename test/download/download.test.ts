// Models by name, fetched from a hub on this machine that misbehaves.
import { access, mkdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test, vi } from "vitest";
import {
  cachedModels,
  createEngine,
  downloadModel,
  type DownloadProgress,
  removeCachedModel,
} from "../../src/index.js";
import { start } from "../fixtures/child.js";
import { filesIn, gguf, MiB, name, setUp, sha256 } from "../support/downloads.js";
import { rejection, scriptModel, tempDir } from "../support/engine.js";
import { type HubServer, hubServer, type Misbehaviour } from "../support/hub-server.js";

test("a model is fetched by its quantization, once, and its progress is reported", async () => {
  const file = gguf(3 * MiB);
  const { hub, cacheFolder, seen, options } = await setUp({
    "README.md": Buffer.from("# a model"),
    "mmproj-Q4_K_M.gguf": gguf(30),
    "model-UD-Q4_K_M.gguf": gguf(40),
    "model-q4_k_m.gguf": file,
    "model-Q8_0.gguf": gguf(30),
  });
  const model = await downloadModel(name, options);
  expect(model).toEqual({
    name,
    path: path.join(cacheFolder, "models/hub/user/repo/main/model-q4_k_m.gguf"),
    files: [{ path: model.path, size: file.length, sha256: sha256(file) }],
    size: file.length,
    architecture: null, // there are random bytes behind its magic
    contextLength: null,
    fetchedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  expect((await readFile(model.path)).equals(file)).toBe(true);
  expect(seen.at(-1)).toEqual({
    name,
    file: "model-q4_k_m.gguf",
    index: 0,
    count: 1,
    receivedBytes: file.length,
    totalBytes: file.length,
    resumedBytes: 0,
    interruptions: 0,
  });
  const asked = [hub.lists(), hub.asked.length];
  expect(await downloadModel(name, options)).toEqual(model);
  expect([hub.lists(), hub.asked.length]).toEqual(asked);
  // Without a quantization the usual one is meant; the file is there already.
  expect((await downloadModel("hf:user/repo", options)).path).toBe(model.path);
  expect(hub.asked).toEqual(["all"]);
  expect(await filesIn(cacheFolder)).toHaveLength(3);
});

test("50 MB, cut three times, come with the right hash; a part that is there is not asked for again", async () => {
  const file = gguf(50_000_000);
  const { hub, seen, options } = await setUp({ "model-Q4_K_M.gguf": file });
  hub.misbehave({ cutAfter: (request) => (request < 3 ? 12_000_000 : undefined) });
  const model = await downloadModel(name, options);
  expect(model.files).toEqual([{ path: model.path, size: file.length, sha256: sha256(file) }]);
  expect(hub.asked).toHaveLength(4);
  expect(hub.asked.map((range) => /^(all|bytes=[1-9]\d*-)$/.test(range))).toEqual([true, true, true, true]);
  expect(seen.at(-1)).toMatchObject({ receivedBytes: file.length, interruptions: 3, resumedBytes: 0 });
  expect(seen.every(({ receivedBytes }, i) => receivedBytes >= (seen[i - 1]?.receivedBytes ?? 0))).toBe(true);
}, 60_000);

test("processes and callers that want the same model fetch it once", async () => {
  const file = gguf(8 * MiB);
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": file });
  hub.misbehave({ pauseMs: 5 });
  const code = `import { downloadModel } from "llama-hooks";
    console.log((await downloadModel(${JSON.stringify(name)}, ${JSON.stringify({ cacheFolder, endpoint: hub.endpoint })})).files[0].sha256);`;
  const children = [1, 2].map(() => start(process.execPath, ["--input-type=module", "--eval", code]).ended);
  const here = await Promise.all([
    downloadModel(name, options),
    downloadModel("hf:user/repo/model-Q4_K_M.gguf", options),
  ]);
  for (const { stdout, code: exit } of await Promise.all(children))
    expect([exit, stdout.trim()]).toEqual([0, sha256(file)]);
  expect(here.map(({ files }) => files[0]?.sha256)).toEqual(Array(2).fill(sha256(file)));
  expect(hub.asked).toEqual(["all"]);
}, 60_000);

test("a split model is all of its parts, and loads by the first", async () => {
  const parts = Object.fromEntries([1, 2, 3].map((n) => [`Q4_K_M/big-Q4_K_M-0000${n}-of-00003.gguf`, gguf(n * MiB)]));
  const { seen, options } = await setUp({ ...parts, "big-Q8_0.gguf": gguf(30) });
  const model = await downloadModel(name, options);
  expect(model.files.map(({ size }) => size)).toEqual([MiB, 2 * MiB, 3 * MiB]);
  expect(model.size).toBe(6 * MiB);
  expect(path.basename(model.path)).toBe("big-Q4_K_M-00001-of-00003.gguf");
  expect(seen.filter((p) => p.receivedBytes === p.totalBytes).map(({ index, count }) => [index, count])).toEqual([
    [0, 3],
    [1, 3],
    [2, 3],
  ]);
});

test("an address is fetched as it stands, and continues only with the same file", async () => {
  const file = gguf(6 * MiB);
  const { hub, cacheFolder, seen, options } = await setUp({ "some/model.gguf": file });
  const address = `${hub.endpoint}/files/some/model.gguf?key=secret`;
  hub.misbehave({ cutAfter: (request) => (request === 0 ? 3 * MiB : undefined), etag: "changing" });
  const model = await downloadModel(address, options);
  expect(model.files[0]?.sha256).toBe(sha256(file));
  expect(hub.asked).toEqual(["all", expect.stringMatching(/^bytes=/)]);
  expect(seen.at(-1)).toMatchObject({ interruptions: 1, receivedBytes: file.length });
  expect(path.relative(cacheFolder, model.path)).toMatch(
    /^models\/address\/127\.0\.0\.1_\d+\/[0-9a-f]{16}\/model\.gguf$/,
  );
  expect((await cachedModels({ cacheFolder })).map((one) => one.name)).toEqual([address.replace("?key=secret", "")]);
}, 30_000);

test("a server that cannot do ranges is asked for all of it again", async () => {
  const file = gguf(6 * MiB);
  const { hub, options } = await setUp({ "model-Q4_K_M.gguf": file });
  hub.misbehave({ cutAfter: (request) => (request === 0 ? 3 * MiB : undefined), noRanges: true });
  expect((await downloadModel(name, options)).files[0]?.sha256).toBe(sha256(file));
  expect(hub.asked).toHaveLength(2);
});

test.each([
  ["damaged bytes", { damage: true }, /is damaged: SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}$/, 0],
  ["another length than the hub says", { tooLong: 7 }, /has 1048583 bytes, expected 1048576$/, 1],
  ["a redirect that never ends", { redirect: "loop" }, /redirect count exceeded$/, 1],
  ["no such file after all", { status: () => 404 }, /answered 404 Not Found$/, 1],
  ["a file that is not for everybody", { status: () => 403 }, /answered 403 Forbidden; set HF_TOKEN if/, 1],
] as [string, Misbehaviour, RegExp, number][])("%s: the download fails, and says so", async (_, how, message, left) => {
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  hub.misbehave(how);
  expect(await rejection(downloadModel(name, options))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(message) as string,
  });
  expect(await cachedModels({ cacheFolder })).toEqual([]);
  // At most an empty part stays, for the next time.
  expect(await filesIn(cacheFolder)).toHaveLength(left);
  hub.misbehave({});
  expect((await downloadModel(name, options)).size).toBe(MiB);
});

test("the token goes to the hub, and not where that sends us", async () => {
  const { hub, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) }, "hf_secret");
  expect(await rejection(downloadModel(name, options))).toMatchObject({
    message: expect.stringMatching(/answered 401 Unauthorized; set HF_TOKEN if it needs an account$/) as string,
    details: { status: 401 },
  });
  expect(await rejection(downloadModel(name, { ...options, token: "wrong" }))).toMatchObject({
    message: expect.stringMatching(/the token in HF_TOKEN does not open it$/) as string,
  });
  hub.misbehave({ redirect: "elsewhere" });
  hub.tokens.length = 0;
  expect((await downloadModel(name, { ...options, token: "hf_secret" })).size).toBe(MiB);
  expect(hub.tokens).toEqual(["Bearer hf_secret", "Bearer hf_secret", ""]);
});

test("names that are none, or of nothing there, say what there is", async () => {
  const { options } = await setUp({
    "a-Q5_K_M.gguf": gguf(29),
    "b-Q5_K_M.gguf": gguf(29),
    "c-00001-of-00002.gguf": gguf(29),
  });
  const reason = async (model: string): Promise<string> =>
    ((await rejection(downloadModel(model, options))) as Error).message;
  expect(await reason("hf:user/repo:Q4_K_M")).toMatch(
    /user\/repo has no GGUF of Q4_K_M; there are a-Q5_K_M\.gguf, b-Q5_K_M\.gguf, c-00001-of-00002\.gguf$/,
  );
  expect(await reason("hf:user/repo:Q5_K_M")).toMatch(
    /several that are meant; name one, as in hf:user\/repo\/a-Q5_K_M\.gguf/,
  );
  expect(await reason("hf:user/repo/c-00001-of-00002.gguf")).toMatch(/has no file c-00002-of-00002\.gguf; there are/);
  expect(await reason("hf:user/repo/d.gguf")).toMatch(/has no file d\.gguf; there are/);
  expect(await reason("hf:user/other:Q4_K_M")).toMatch(/tree\/main answered 404 Not Found$/);
  for (const wrong of ["hf:user", "hf:", "hf:user/repo/../x.gguf", "hf:../repo", "hf:user/repo:a/b", "https://"])
    expect(await rejection(downloadModel(wrong, options)), wrong).toMatchObject({ code: "DOWNLOAD_FAILED" });
  expect(await reason("model.gguf")).toMatch(
    /^"model\.gguf" cannot be downloaded; names of downloadable models are hf:user\/repo, /,
  );
  expect(() => cachedModels({ cacheFolders: "" } as never)).toThrow(/did you mean "cacheFolder"/);
});

test("a file that is not GGUF is reported at its first bytes", async () => {
  const { hub, options } = await setUp({ "page.gguf": Buffer.alloc(MiB, "<html>"), "empty.gguf": Buffer.alloc(0) });
  const fetched = downloadModel(`${hub.endpoint}/files/page.gguf`, options);
  expect(await rejection(fetched)).toMatchObject({
    message: expect.stringMatching(/did not send a GGUF file$/) as string,
  });
  const empty = downloadModel(`${hub.endpoint}/files/empty.gguf`, options);
  expect(await rejection(empty)).toMatchObject({ message: expect.stringMatching(/sent an empty file$/) as string });
});

test("no server at all: the reason that fetch hides is in the message", async () => {
  const { options } = await setUp({});
  expect(await rejection(downloadModel(name, { ...options, endpoint: "http://127.0.0.1:9" }))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(/cannot be reached: fetch failed: (bad port|connect ECONNREFUSED)/) as string,
  });
});

test("a signal stops it, while it waits for another too, and what came stays", async () => {
  const { hub, cacheFolder, seen, options } = await setUp({ "model-Q4_K_M.gguf": gguf(20 * MiB) });
  hub.misbehave({ pauseMs: 5 });
  const stop = new AbortController();
  const onProgress = (progress: DownloadProgress): void => {
    seen.push(progress);
    if (progress.receivedBytes > MiB) stop.abort(new Error("enough"));
  };
  const both = [1, 2].map(() => rejection(downloadModel(name, { ...options, onProgress, signal: stop.signal })));
  for (const error of await Promise.all(both))
    expect(error).toMatchObject({ code: "CANCELLED", cause: new Error("enough") });
  expect(hub.asked).toEqual(["all"]);
  const part = path.join(cacheFolder, "models/hub/user/repo/main/model-Q4_K_M.gguf.part");
  expect((await stat(part)).size).toBeGreaterThan(MiB);
  hub.misbehave({});
  await downloadModel(name, { ...options, onProgress: (progress) => seen.push(progress) });
  expect(seen.at(-1)?.resumedBytes).toBeGreaterThan(MiB);
}, 30_000);

test("what onProgress throws is what the download rejects with", async () => {
  const { options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const thrown = { no: "error" };
  const onProgress = (): never => {
    throw thrown as unknown as Error;
  };
  expect(await rejection(downloadModel(name, { ...options, onProgress }))).toBe(thrown);
  const later = (): Promise<never> => Promise.reject(new Error("mine"));
  expect(await rejection(downloadModel(name, { ...options, onProgress: later }))).toBeInstanceOf(TypeError);
  expect(
    (await downloadModel(name, { cacheFolder: options.cacheFolder ?? "", endpoint: options.endpoint ?? "" })).size,
  ).toBe(MiB);
});

test("a full disk is reported, and nothing is left behind", async () => {
  const { hub, cacheFolder } = await setUp({ "model-Q4_K_M.gguf": gguf(8 * MiB) });
  const code = `import { downloadModel } from "llama-hooks";
    process.on("SIGXFSZ", () => {});
    await downloadModel(${JSON.stringify(name)}, ${JSON.stringify({ cacheFolder, endpoint: hub.endpoint })}).catch((error) => console.log(error.code, error.message));`;
  const child = start("bash", [
    "-c",
    `ulimit -f 2048; exec "$0" --input-type=module --eval "$1"`,
    process.execPath,
    code,
  ]);
  expect((await child.ended).stdout).toMatch(/^DOWNLOAD_FAILED .*Q4_K_M\.gguf cannot be written: EFBIG/);
  expect(await filesIn(cacheFolder)).toEqual([]);
});

test("a model that is there is removed, but for what another name has", async () => {
  const { cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const { path: file } = await downloadModel(name, options);
  await downloadModel("hf:user/repo", options);
  expect((await cachedModels({ cacheFolder })).map((model) => model.name)).toEqual(["hf:user/repo", name]);
  await removeCachedModel(name, { cacheFolder });
  await access(file);
  await removeCachedModel("hf:user/repo", { cacheFolder });
  expect(await filesIn(cacheFolder)).toEqual([]);
  expect(await rejection(removeCachedModel(name, { cacheFolder }))).toMatchObject({ code: "NOT_FOUND" });
});

test("a model whose file cannot be removed is named, and can be removed later", async () => {
  const { options, cacheFolder } = await setUp({ "script-Q4_K_M.gguf": await readFile(await scriptModel(["Hello."])) });
  const { path: file } = await downloadModel(name, options);
  await rm(file);
  await mkdir(file);
  const refused = await rejection(removeCachedModel(name, { cacheFolder }));
  expect(refused).toMatchObject({ code: "DOWNLOAD_FAILED", message: expect.stringContaining(file) });
  await rmdir(file);
  expect((await removeCachedModel(name, { cacheFolder })).path).toBe(file);
});

test("the cache is in the user's folder for caches, and XDG_CACHE_HOME counts if it is absolute", async () => {
  const cached = async (env: Record<string, string>): Promise<string> => {
    vi.stubEnv("LLAMA_HOOKS_CACHE", "");
    for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
    const error = await rejection(removeCachedModel("hf:user/none"));
    vi.unstubAllEnvs();
    return (error as Error).message;
  };
  const home = await tempDir();
  const xdg = await tempDir();
  expect(await cached({ HOME: home, XDG_CACHE_HOME: xdg })).toContain(path.join(xdg, "llama-hooks", "models"));
  const own = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
  for (const none of ["", "relative"])
    expect(await cached({ HOME: home, XDG_CACHE_HOME: none })).toContain(path.join(home, ...own, "llama-hooks"));
});

test("a file that went, or was changed, is fetched again", async () => {
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const { path: file } = await downloadModel(name, options);
  await writeFile(file, "short");
  expect(await cachedModels({ cacheFolder })).toEqual([]);
  expect((await stat((await downloadModel(name, options)).path)).size).toBe(MiB);
  expect(hub.asked).toHaveLength(2);
});

test("createEngine() takes a name: from the hub, then from the cache alone", async () => {
  const model = await readFile(await scriptModel(["I came by name."]));
  const hub: HubServer = await hubServer({ "script-Q4_K_M.gguf": model });
  const cacheFolder = await tempDir();
  const code = `import { createEngine } from "llama-hooks";
    const engine = await createEngine({ model: ${JSON.stringify(name)}, gpu: false, threads: 1, onDownload: (p) => p.receivedBytes === p.totalBytes && console.log(p.file) });
    console.log((await engine.generate("Hello")).text);
    await engine.close();`;
  const run = (env: NodeJS.ProcessEnv) => start(process.execPath, ["--input-type=module", "--eval", code], env).ended;
  const env = { HF_ENDPOINT: hub.endpoint, LLAMA_HOOKS_CACHE: cacheFolder };
  const first = await run(env);
  expect([first.code, first.stdout]).toEqual([0, "script-Q4_K_M.gguf\nI came by name.\n"]);
  const second = await run({ ...env, HF_ENDPOINT: "http://127.0.0.1:9" });
  expect([second.code, second.stdout]).toEqual([0, "I came by name.\n"]);
  expect(await rejection(createEngine({ model: name, onDownload: 3 as never }))).toBeInstanceOf(TypeError);
});
