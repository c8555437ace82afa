// Words that llama.cpp uses when memory runs out count for nothing when they come from the caller or from a file.
import { copyFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";

test.each(['root ::= "a" <bad_alloc>', 'root ::= "a"\nbad_alloc ::= ( x', "root ::= std::bad_alloc"])(
  "the grammar %j is INVALID_GRAMMAR",
  async (grammar) => {
    const engine = await openEngine(["Fine."]);
    expect(await rejection(engine.generate("Hi", { grammar }))).toMatchObject({ code: "INVALID_GRAMMAR" });
    expect((await engine.generate("Hi")).text).toBe("Fine.");
  },
);

test("a template that complains of a std::bad_alloc is TEMPLATE_FAILED, with its words", async () => {
  const chatTemplate = "{{ raise_exception('std::bad_alloc, said ' ~ messages[0].content) }}";
  const engine = await openEngine({ replies: ["Fine."], chatTemplate });
  expect(await rejection(engine.generate("Ann"))).toMatchObject({
    code: "TEMPLATE_FAILED",
    message: expect.stringContaining("std::bad_alloc, said Ann") as string,
  });
});

/** A model whose kind of words llama.cpp does not know and names in its error. */
async function modelOf(kindOfWords: string): Promise<string> {
  const file = path.join(await tempDir(), "model.gguf");
  await copyFile(await scriptModel(["Fine."]), file);
  const bytes = await readFile(file);
  const key = Buffer.from("tokenizer.ggml.pre");
  const at = bytes.indexOf(key) + key.length + 4; // of the value's length, after its type
  const length = Number(bytes.readBigUInt64LE(at));
  const value = Buffer.from(kindOfWords);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(value.length));
  const rest = bytes.subarray(at + 8 + length);
  await writeFile(file, Buffer.concat([bytes.subarray(0, at), size, value, rest]));
  return file;
}

test.each(["bad_alloc", "failed to allocate", "Cannot allocate memory", "' unable to allocate '"])(
  "a file whose kind of words is %j does not load, which is not a lack of memory",
  async (kind) => {
    const engine = await openEngine([], { models: {} });
    const error = await rejection(engine.models.load("m", { path: await modelOf(kind), lazy: false }));
    expect(error).toMatchObject({ code: "MODEL_LOAD_FAILED", message: expect.stringContaining(kind) as string });
  },
);
