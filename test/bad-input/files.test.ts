import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEngine } from "../../src/index.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";
import { randomModel } from "../support/models/random-model.js";

/** Loading `file` fails with `code` and a message that names the file and `what`; the engine is as good as before. */
async function expectRefused(file: string, code: string, what: RegExp): Promise<void> {
  const engine = await openEngine(["Hello."]);
  const error = await rejection(engine.models.load("bad", { path: file }));
  expect(error).toMatchObject({ name: "LlamaHooksError", code });
  expect((error as Error).message).toContain(path.basename(file));
  expect((error as Error).message).toMatch(what);
  expect(engine.models.list().map(({ modelId }) => modelId)).toEqual(["default"]);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
}

async function fileOf(bytes: Uint8Array | string): Promise<string> {
  const file = path.join(await tempDir(), "bad.gguf");
  await writeFile(file, bytes);
  return file;
}

/** A script model with some of its bytes changed. Overruled: without a list of its replies, which has their tokens, too. */
async function changed(change: (bytes: Buffer) => void): Promise<string> {
  const bytes = await readFile(await scriptModel({ replies: ["Hello."], overruled: true }));
  change(bytes);
  return fileOf(bytes);
}

/** Overwrites text with text of the same length. */
function replace(bytes: Buffer, from: string, to: string): void {
  expect([from.length, bytes.indexOf(from) >= 0]).toEqual([to.length, true]);
  bytes.write(to, bytes.indexOf(from));
}

test("a missing file is named", async () => {
  await expectRefused(path.join(await tempDir(), "nowhere.gguf"), "MODEL_FILE_NOT_FOUND", /No such file|not found/i);
});

test("a folder is not a model", async () => {
  const folder = path.join(await tempDir(), "folder.gguf");
  await mkdir(folder);
  await expectRefused(folder, "MODEL_FILE_NOT_FOUND", /folder|directory|regular file/i);
});

test("an empty file is not a model", async () => {
  await expectRefused(await fileOf(""), "MODEL_FILE_INVALID", /empty|ends|GGUF|bytes/i);
});

test("a file of something else is not a model", async () => {
  await expectRefused(await fileOf("# Shopping list\n".repeat(100)), "MODEL_FILE_INVALID", /GGUF/);
});

test.each([3, 4, 7, 8, 16, 23, 24, 40, 100, 1000, 4000])(
  "a model cut off after %i bytes is refused",
  async (length) => {
    const bytes = await readFile(await scriptModel(["Hello."]));
    await expectRefused(await fileOf(bytes.subarray(0, length)), "MODEL_FILE_INVALID", /./);
  },
);

test.each([0.3, 0.6, 0.9, 0.999])("a model cut off at %d of its length is refused", async (share) => {
  const bytes = await readFile(await randomModel());
  await expectRefused(await fileOf(bytes.subarray(0, Math.floor(bytes.length * share))), "MODEL_FILE_INVALID", /./);
});

test.each<[string, (bytes: Buffer) => void, RegExp]>([
  ["a wrong magic number", (bytes) => void bytes.write("FUGG"), /GGUF/],
  ["an unknown version", (bytes) => void bytes.writeUInt32LE(99, 4), /version.*99|99.*version/],
  ["an impossible number of tensors", (bytes) => void bytes.writeBigUInt64LE(1n << 60n, 8), /tensor/],
  ["an impossible number of keys", (bytes) => void bytes.writeBigUInt64LE(1n << 60n, 16), /key|metadata/],
  ["a key longer than the file", (bytes) => void bytes.writeBigUInt64LE(1n << 40n, 24), /./],
  ["a token twice in its vocabulary", (bytes) => replace(bytes, "<|reply:0.0|>", "<|endoftext|>"), /twice/],
  ["no layers key", (bytes) => replace(bytes, "llama.block_count", "llama.clock_bount"), /block_count/],
])("a model with %s is refused", async (_, change, what) => {
  await expectRefused(await changed(change), "MODEL_FILE_INVALID", what);
});

test("a tensor beyond the end of the file is refused", async () => {
  const file = await changed((bytes) => {
    const name = bytes.indexOf("output_norm.weight");
    expect(name).toBeGreaterThan(0);
    const after = name + "output_norm.weight".length;
    const dimensions = bytes.readUInt32LE(after);
    bytes.writeBigUInt64LE(1n << 40n, after + 4 + 8 * dimensions + 4);
  });
  await expectRefused(file, "MODEL_FILE_INVALID", /output_norm/);
});

test("an architecture that llama.cpp does not know is named", async () => {
  const file = await changed((bytes) => {
    const key = bytes.indexOf("general.architecture") + "general.architecture".length;
    const length = Number(bytes.readBigUInt64LE(key + 4));
    bytes.write("z".repeat(length), key + 12);
  });
  await expectRefused(file, "UNSUPPORTED_ARCHITECTURE", /zzz/);
});

test("a context larger than memory is refused before it is tried, with both sizes", async () => {
  const engine = await openEngine(["Hello."]);
  const options = { path: await randomModel(), contextSize: 2 ** 24, parallel: 64 };
  const error = await rejection(engine.models.load("big", options));
  expect(error).toMatchObject({ code: "INSUFFICIENT_MEMORY" });
  expect((error as Error).message).toMatch(/\d+ MiB.*\d+ MiB/);
  expect((await engine.generate("Hi")).text).toBe("Hello.");
});

test("a chat template that does not parse is refused", async () => {
  const model = await scriptModel(["Hello."]);
  const opening = createEngine({ model, gpu: false, threads: 1, chatTemplate: "{% for x in %} {{" });
  expect(await rejection(opening)).toMatchObject({
    code: "TEMPLATE_FAILED",
    message: expect.not.stringContaining("std::exception") as string,
  });
});

test("createEngine with a bad model rejects as load does", async () => {
  const model = await fileOf("nothing of the kind");
  expect(await rejection(createEngine({ model, gpu: false }))).toMatchObject({ code: "MODEL_FILE_INVALID" });
  expect((await (await openEngine(["Hello."])).generate("Hi")).text).toBe("Hello.");
});
