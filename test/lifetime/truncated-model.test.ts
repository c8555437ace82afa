// A mapped model file that becomes shorter while it is loaded: the pages beyond its end are gone, and their use would
// end the process with SIGBUS. In child processes, since that is what happened.
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { jsonLines, script } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";
import { randomModel } from "../support/models/random-model.js";
import { embeddingModel } from "../support/embeddings.js";

const head = `
  import { truncateSync, copyFileSync, renameSync } from "node:fs";
  const codeOf = (work) => work.then(() => "done", ({ code, message }) => code ?? message);
  const say = (words) => process.stdout.write(JSON.stringify(words) + "\\n");`;

test.skipIf(process.platform === "win32")(
  "a model file that became shorter is MODEL_FILE_INVALID, and other models go on",
  async () => {
    const file = path.join(await tempDir(), "model.gguf");
    await copyFile(await randomModel({ layers: 4, embedding: 512, feedForward: 1024, vocabulary: 4096 }), file);
    const code = `${head}
      const engine = await createEngine({ models: { short: model, other: ${JSON.stringify(await scriptModel(["Hi."]))} }, ...onCpu });
      const before = await codeOf(engine.generate("hi", { model: "short", maxTokens: 2 }));
      truncateSync(model, 4096);
      say([before, await codeOf(engine.generate("hi", { model: "short", maxTokens: 2 })),
        (await engine.generate("hi", { model: "other" })).text]);
      await engine.models.unload("short");
      await engine.close();`;
    const { stdout, ...end } = await script(code, file);
    expect(end).toEqual({ code: 0, signal: null, stderr: "" });
    expect(jsonLines(stdout)).toEqual([["done", "MODEL_FILE_INVALID", "Hi."]]);
  },
);

test.skipIf(process.platform === "win32")("so it is for an embedder", async () => {
  const file = await embeddingModel({ dimensions: 512 });
  const code = `${head}
    const engine = await createEngine({ model, ...onCpu });
    const before = await codeOf(engine.embed("hi"));
    truncateSync(model, 4096);
    say([before, await codeOf(engine.embed("hi"))]);
    await engine.close();`;
  const { stdout, ...end } = await script(code, file);
  expect(end).toEqual({ code: 0, signal: null, stderr: "" });
  expect(jsonLines(stdout)).toEqual([["done", "MODEL_FILE_INVALID"]]);
});

test("a file that is replaced by renaming, or read with mmap: false, does no harm", async () => {
  const file = path.join(await tempDir(), "model.gguf");
  await copyFile(await scriptModel(["Hi."]), file);
  const code = `${head}
    copyFileSync(model, model + ".new");
    truncateSync(model + ".new", 100);
    const engine = await createEngine({ models: { read: { path: model, mmap: false }, mapped: model }, ...onCpu });
    renameSync(model + ".new", model);
    say([(await engine.generate("hi", { model: "read" })).text, (await engine.generate("hi", { model: "mapped" })).text]);
    await engine.close();`;
  const { stdout, ...end } = await script(code, file);
  expect(end).toEqual({ code: 0, signal: null, stderr: "" });
  expect(jsonLines(stdout)).toEqual([["Hi.", "Hi."]]);
});
