// Servers that send less than they should, or ask to come again later.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { cachedModels, downloadModel } from "../../src/index.js";
import { filesIn, name, setUp } from "../support/downloads.js";
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

test("the sizes of tensors by which a file is checked are those of the engine", async () => {
  const rows = async (file: string, row: RegExp): Promise<string[]> =>
    [...(await readFile(file, "utf8")).matchAll(row)].map((match) => match.slice(1).join(" ")).toSorted();
  const engine = await rows("native/gguf/file.cpp", /\{(\d+), "\w+", (\d+), (\d+), (?:true|false)\}/g);
  expect(await rows("src/base/gguf-reader.ts", /^ {2}(\d+): \[(\d+), (\d+)\],$/gm)).toEqual(engine);
  expect(engine.length).toBeGreaterThan(30);
});
