// A download must not let these happen: a wrong file under a right name, a leaked secret, a server kept waiting.
import { appendFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cachedModels, downloadModel, type DownloadProgress, removeCachedModel } from "../../src/index.js";
import { filesIn, gguf, MiB, name, setUp, sha256 } from "../support/downloads.js";
import { rejection } from "../support/engine.js";

test("one folder, however it is spelled, is one cache", async () => {
  const file = gguf(4 * MiB);
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": file });
  hub.misbehave({ pauseMs: 5 });
  const folders = [cacheFolder, path.relative(process.cwd(), cacheFolder)];
  const models = await Promise.all(folders.map((one) => downloadModel(name, { ...options, cacheFolder: one })));
  for (const { path: at } of models)
    expect([path.isAbsolute(at), (await readFile(at)).equals(file)]).toEqual([true, true]);
  expect(hub.asked).toEqual(["all"]);
});

test("what another program writes into the part is not taken for the file", async () => {
  const { cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  const part = path.join(cacheFolder, "models/hub/user/repo/main/model-Q4_K_M.gguf.part");
  const onProgress = (): void => appendFileSync(part, "more than there is".repeat(MiB));
  expect(await rejection(downloadModel(name, { ...options, onProgress }))).toMatchObject({
    message: expect.stringMatching(/another program also writes to it$/) as string,
  });
  expect(await filesIn(cacheFolder)).toEqual([]);
});

test("a file that changed at its address is not joined with what had come of the old one", async () => {
  const files = { "model.gguf": gguf(6 * MiB) };
  const { hub, options } = await setUp(files);
  hub.misbehave({ cutAfter: (request) => (request === 0 ? 3 * MiB : undefined), ignoresIfRange: true, pauseMs: 10 });
  const changed = gguf(6 * MiB);
  const onProgress = ({ receivedBytes }: DownloadProgress): void => {
    if (receivedBytes > MiB) files["model.gguf"] = changed;
  };
  const model = await downloadModel(`${hub.endpoint}/files/model.gguf`, { ...options, onProgress });
  expect(model.files[0]?.sha256).toBe(sha256(changed));
}, 30_000);

test("too little room is reported before the first byte, and the server is not kept waiting", async () => {
  const { hub, cacheFolder, options } = await setUp({ "model-Q4_K_M.gguf": gguf(8 * MiB) });
  hub.misbehave({ claims: 1e15, pauseMs: 50 });
  expect(await rejection(downloadModel(name, options))).toMatchObject({
    message: expect.stringMatching(/has \d+ bytes free, but 1000000000000000 are needed$/) as string,
  });
  expect(await filesIn(cacheFolder)).toEqual([]);
  await expect.poll(() => hub.open(), { timeout: 20_000 }).toBe(0);
});

test("what is secret in an address or a token is in no message, and in no file", async () => {
  const { hub, cacheFolder, options } = await setUp({ "model.gguf": gguf(MiB) });
  const address = `${hub.endpoint}/files/model.gguf?key=topsecret`;
  hub.misbehave({ status: () => 403 });
  const refused = (await rejection(downloadModel(address, options))) as Error;
  expect(refused.message).not.toContain("topsecret");
  hub.misbehave({});
  const model = await downloadModel(address, options);
  expect(JSON.stringify([model, await cachedModels({ cacheFolder })])).not.toContain("topsecret");
  const withPassword = address.replace("http://", "http://user:topsecret@");
  const wrong = (await rejection(downloadModel(withPassword, options))) as Error;
  expect([wrong.message.includes("topsecret"), wrong.message]).toEqual([
    false,
    expect.stringMatching(/contains a password/),
  ]);
  expect(await rejection(downloadModel("hf:user/repo", { ...options, token: "top\nsecret" }))).toBeInstanceOf(
    TypeError,
  );
  expect((await removeCachedModel(model.name, { cacheFolder })).path).toBe(model.path);
});

test("a split model at an address is all of its parts; one that lacks a part can be removed", async () => {
  const parts = Object.fromEntries([1, 2].map((n) => [`big-0000${n}-of-00002.gguf`, gguf(n * MiB)]));
  const { hub, cacheFolder, options } = await setUp({ ...parts, "odd-00001-of-00000.gguf": gguf(MiB) });
  const model = await downloadModel(`${hub.endpoint}/files/big-00001-of-00002.gguf`, options);
  expect(model.files.map(({ size }) => size)).toEqual([MiB, 2 * MiB]);
  await rm(model.files[1]?.path ?? "");
  expect(await cachedModels({ cacheFolder })).toEqual([]);
  await removeCachedModel(model.name, { cacheFolder });
  expect(await filesIn(cacheFolder)).toEqual([]);
  expect((await downloadModel("hf:user/repo/odd-00001-of-00000.gguf", options)).size).toBe(MiB);
});
