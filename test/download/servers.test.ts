// Servers that send less than they should, or ask to come again later.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { cachedModels, downloadModel } from "../../src/index.js";
import { filesIn, gguf, MiB, name, setUp } from "../support/downloads.js";
import { rejection, scriptModel } from "../support/engine.js";

test("a GGUF file that its server has truncated is refused, and nothing of it stays", async () => {
  const whole = await readFile(await scriptModel(["Hello."]));
  const cuts = { "tensors-Q4_K_M.gguf": whole.length - 100, "header-Q4_K_M.gguf": 4096, "begin-Q4_K_M.gguf": 12 };
  for (const [path, length] of Object.entries(cuts)) {
    const { hub, cacheFolder, options } = await setUp({ [path]: whole.subarray(0, length) });
    for (const named of ["hf:user/repo", `${hub.endpoint}/files/${path}`]) {
      expect(await rejection(downloadModel(named, options)), path).toMatchObject({
        code: "DOWNLOAD_FAILED",
        message: expect.stringMatching(
          /did not send a complete GGUF file: (it has \d+ bytes, and its tensors end at \d+|the file ends within its header)$/,
        ),
      });
      expect(await cachedModels({ cacheFolder })).toEqual([]);
      expect(await filesIn(cacheFolder)).toEqual([]);
    }
  }
  const { options } = await setUp({ "whole-Q4_K_M.gguf": whole });
  expect((await downloadModel(name, options)).architecture).toBe("llama");
});

test.each([
  ["in seconds", () => "2", 2000],
  ["as a date", () => new Date(Date.now() + 3000).toUTCString(), 2000], // which has whole seconds
])(
  "a server that says %s when to come again is not asked before, for a list of files either",
  async (_, retryAfter, ms) => {
    const { hub, seen, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
    const once = (request: number): number | undefined => (request === 0 ? 429 : undefined);
    hub.misbehave({ status: once, listStatus: (list) => (list === 0 ? 503 : undefined), retryAfter });
    const began = performance.now();
    await downloadModel(name, options);
    expect(performance.now() - began).toBeGreaterThan(2 * ms - 100);
    expect([hub.lists(), hub.asked.length, seen.at(-1)?.interruptions]).toEqual([2, 2, 1]);
  },
  60_000,
);

test("a wait that is too long, and a list that never comes, are errors with the status", async () => {
  const { hub, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  hub.misbehave({ status: () => 429, retryAfter: () => "3600" });
  expect(await rejection(downloadModel(name, options))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(/answered 429 and asks to wait 3600 s: try again then$/),
    details: { status: 429 },
  });
  expect(hub.asked).toHaveLength(1);
  for (const retryAfter of ["-1", "soon", "", new Date(0).toUTCString()]) {
    hub.misbehave({ status: (request) => (request < 2 ? 503 : undefined), retryAfter: () => retryAfter });
    hub.asked.length = 0;
    expect((await downloadModel(`${hub.endpoint}/files/model-Q4_K_M.gguf?${retryAfter}`, options)).size).toBe(MiB);
  }
  hub.misbehave({ listStatus: () => 503 });
  expect(await rejection(downloadModel("hf:user/repo", options))).toMatchObject({
    message: expect.stringMatching(/tree\/main answered 503 Service Unavailable, 6 times in a row$/),
    details: { status: 503 },
  });
}, 60_000);

test("the sizes of tensors by which a file is checked are those of the engine", async () => {
  const rows = async (file: string, row: RegExp): Promise<string[]> =>
    [...(await readFile(file, "utf8")).matchAll(row)].map((match) => match.slice(1).join(" ")).toSorted();
  const engine = await rows("native/gguf/file.cpp", /\{(\d+), "\w+", (\d+), (\d+), (?:true|false)\}/g);
  expect(await rows("src/base/gguf-reader.ts", /^ {2}(\d+): \[(\d+), (\d+)\],$/gm)).toEqual(engine);
  expect(engine.length).toBeGreaterThan(30);
});
