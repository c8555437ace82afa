// The names that a downloaded model may have.
import path from "node:path";
import { expect, test } from "vitest";
import { createEngine, downloadModel, removeCachedModel } from "../../src/index.js";
import { gguf, MiB, name, setUp } from "../support/downloads.js";
import { rejection } from "../support/engine.js";

test("names that other tools write, and the address of a hub's page about a file, are the hub's names", async () => {
  const { hub, cacheFolder, options } = await setUp({ "a b/model-Q4_K_M.gguf": gguf(MiB) });
  const host = ["hf", "co"].join(".");
  const model = await downloadModel(`${host}/user/repo:Q4_K_M`, options);
  expect(model.name).toBe(name);
  expect(await downloadModel(name, options)).toEqual(model);
  const file = "hf:user/repo/a b/model-Q4_K_M.gguf";
  for (const origin of [hub.endpoint, `https://${host}`])
    expect((await downloadModel(`${origin}/user/repo/blob/main/a%20b/model-Q4_K_M.gguf?x=1`, options)).name).toBe(file);
  const tagged = await downloadModel(`${hub.endpoint}/user/repo/blob/v1/a%20b/model-Q4_K_M.gguf`, options);
  expect(tagged.name).toBe("hf:user/repo@v1/a b/model-Q4_K_M.gguf");
  expect(hub.asked).toEqual(["all", "all"]); // once for each revision
  // The address of another server is what it says.
  const other = hub.endpoint.replace("127.0.0.1", "localhost");
  const fetched = downloadModel(`${other}/user/repo/blob/main/model.gguf`, options);
  expect(((await rejection(fetched)) as Error).message).toMatch(/\/blob\/main\/model\.gguf answered 404/);
  expect((await removeCachedModel(`${host}/user/repo:Q4_K_M`, { cacheFolder })).name).toBe(name);
});

test("a model that is neither a file nor a name is refused with the names that there are", async () => {
  const forms = /hf:user\/repo, hf:user\/repo:quant and hf:user\/repo\/file\.gguf.*https:\/\/\.\.\.$/;
  const said = async (work: Promise<unknown>): Promise<unknown> => rejection(work);
  expect(await said(downloadModel("llama3.2"))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(forms),
  });
  expect(await said(downloadModel("hf:llama3.2"))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(forms),
  });
  for (const model of ["llama3.2", "user/repo:Q4_K_M"])
    expect(await said(createEngine({ model }))).toMatchObject({
      code: "MODEL_FILE_NOT_FOUND",
      message: expect.stringMatching(forms),
    });
  const message = expect.not.stringMatching(forms) as string;
  expect(await said(createEngine({ model: "nowhere/model.gguf" }))).toMatchObject({
    code: "MODEL_FILE_NOT_FOUND",
    message,
  });
});

/** The files of three repositories, as their pages list them. */
const published: [string, string, string[]][] = [
  [
    "Q4_K_M",
    "SmolLM2-1.7B-Instruct-Q4_K_M.gguf",
    ["IQ3_M", "Q3_K_L", "Q4_0", "Q4_0_4_4", "Q4_K_L", "Q4_K_M", "Q4_K_S", "Q5_K_M", "Q8_0"].map(
      (quant) => `SmolLM2-1.7B-Instruct-${quant}.gguf`,
    ),
  ],
  [
    "Q4_K_M",
    "Qwen3-4B-Q4_K_M.gguf",
    ["Q4_K_M", "Q5_0", "Q5_K_M", "Q6_K", "Q8_0"].map((quant) => `Qwen3-4B-${quant}.gguf`),
  ],
  [
    "F16",
    "all-MiniLM-L6-v2-ggml-model-f16.gguf",
    [
      ...["Q2_K", "Q4_0", "Q4_K_M", "Q8_0"].map((quant) => `all-MiniLM-L6-v2-${quant}.gguf`),
      "all-MiniLM-L6-v2-ggml-model-f16.gguf",
    ],
  ],
];

test.each(published)("of the files of a real repository, %s is %s", async (quant, expected, files) => {
  const { options } = await setUp(Object.fromEntries(["README.md", ...files].map((file) => [file, gguf(1000)])));
  const { files: got } = await downloadModel(`hf:user/repo:${quant}`, options);
  expect(got.map((file) => path.basename(file.path))).toEqual([expected]);
});
