// Model files with one damaged key or tensor: each load and use ends with a result or a coded error. This is a sample;
// test/bad-input/mutated-models.long.test.ts tries all.
import { expect, test } from "vitest";
import { allMutants, faults, tryAll, useless } from "../support/models/mutants.js";
import { embeddingModel } from "../support/embeddings.js";
import { mutantsOf } from "../support/models/mutated-gguf.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { spelling, writeEncoder } from "../support/models/encoders.js";
import path from "node:path";

test("a sample of files with a damaged key or tensor ends with results or coded errors", async () => {
  const folder = await tempDir();
  const all = await allMutants(folder);
  const every = Math.floor(all.length / 150);
  const trials = await tryAll(
    all.filter(({ name }, i) => !name.includes(": ") || i % every === 7),
    folder,
  );
  expect(trials.length).toBeGreaterThan(150);
  expect(useless(trials)).toEqual([]);
  expect(faults(trials)).toEqual([]);
}, 120_000);

test("keys of an embedder that its graph asserts are MODEL_FILE_INVALID, by name", async () => {
  const folder = await tempDir();
  const mutants = await mutantsOf("bert", await embeddingModel());
  const named = [
    "bert: bert.attention.key_length added: u32 37",
    "bert: bert.embedding_length_out added: u32 127",
    "bert: bert.attention.value_length added: u32 128",
    "bert: bert.attention.head_count_kv added: u32 1",
  ];
  const chosen = named.map((name) => mutants.find((one) => one.name === name));
  expect(chosen).not.toContain(undefined);
  const trials = await tryAll(
    chosen.filter((one) => one !== undefined),
    folder,
  );
  expect(trials.map(({ name, end }) => [name, end])).toEqual(named.map((name) => [name, "MODEL_FILE_INVALID"]));
}, 60_000);

test("a vocabulary of the llama tokenizer without a byte token is MODEL_FILE_INVALID, and with all it reads any text", async () => {
  const folder = await tempDir();
  const all = Array.from({ length: 256 }, (_, byte) => byte);
  const write = (name: string, bytes: readonly number[]): Promise<string> =>
    writeEncoder(path.join(folder, `${name}.gguf`), "eurobert", spelling(bytes));
  const engine = await openEngine([], { models: {} });
  for (const [missing, bytes] of [
    ["<0x01>", []],
    ["<0xC3>", all.filter((byte) => byte !== 0xc3)],
  ] as const) {
    const error = await rejection(engine.models.load("m", { path: await write(missing, bytes), threads: 1 }));
    expect(error).toMatchObject({ code: "MODEL_FILE_INVALID", message: expect.stringContaining(missing) as string });
  }
  await engine.models.load("m", { path: await write("all", all), threads: 1 });
  expect((await engine.embed("Grüße 你好 \u{1F600}")).embedding).toHaveLength(64);
});
