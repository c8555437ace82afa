// An assertion of llama.cpp that a model file makes fail ends the load or the generation, not the process.
import path from "node:path";
import { expect, test } from "vitest";
import { type GgufValue, uint32 } from "../../src/testing/gguf-writer.js";
import { madeUpTokenizer } from "../../src/testing/synthetic-tokenizer.js";
import { openEngine, rejection, scriptModel, tempDir } from "../support/engine.js";
import { type Shape, writeShapedModel } from "../support/models/shaped-model.js";

const [width, hidden, vocabulary] = [16, 32, 320];
const epsilon: GgufValue = { type: "float32", value: 1e-6 };

/** A file of an architecture whose graph was not checked for assertions. */
async function rareModel(architecture: string, keys: readonly [string, GgufValue][], block: readonly Shape[]) {
  const all: [string, GgufValue][] = [
    ["context_length", uint32(64)],
    ["embedding_length", uint32(width)],
    ["block_count", uint32(2)],
    ["feed_forward_length", uint32(hidden)],
    ["attention.head_count", uint32(2)],
    ["attention.head_count_kv", uint32(2)],
    ["attention.layer_norm_rms_epsilon", epsilon],
    ...keys,
  ];
  const shapes: Shape[] = [
    ["token_embd", width, vocabulary],
    ["token_embd_norm", width],
    ...[0, 1].flatMap((layer) => block.map(([name, ...rest]): Shape => [`blk.${layer}.${name}`, ...rest])),
  ];
  const file = path.join(await tempDir(), `${architecture}.gguf`);
  return writeShapedModel(file, architecture, madeUpTokenizer(vocabulary), all, shapes);
}

const attention: Shape[] = [
  ...["attn_q", "attn_k", "attn_v", "attn_output"].map((name): Shape => [name, width, width]),
  ["attn_norm", width],
  ["attn_q_norm", width / 2],
  ["attn_k_norm", width / 2],
  ["ffn_norm", width],
  ["ffn_gate", width, hidden],
  ["ffn_up", width, hidden],
  ["ffn_down", hidden, width],
];

test("an assertion that fails while a model is loaded is MODEL_LOAD_FAILED, and the engine continues", async () => {
  const engine = await openEngine(["Fine."]);
  const cycles = ["hrm.layers_per_stack", "hrm.h_cycles", "hrm.l_cycles"].map((key): [string, GgufValue] => [
    key,
    uint32(3), // which makes 36 layers, and the file has two
  ]);
  const file = await rareModel("hrm_text", cycles, attention);
  const refused = {
    code: "MODEL_LOAD_FAILED",
    message: expect.stringMatching(
      /hrm_text\.gguf.*an assertion of llama\.cpp failed, src\/models\/hrm-text\.cpp:\d+: GGML_ASSERT\(/s,
    ) as string,
  };
  expect(await rejection(engine.models.load("rare", { path: file, contextSize: 64 }))).toMatchObject(refused);
  expect(await rejection(engine.models.estimate({ path: file, contextSize: 64 }))).toMatchObject(refused);
  expect((await engine.generate("Hi")).text).toBe("Fine.");
});

test("an assertion that fails at each step is DECODE_FAILED, and another model continues", async () => {
  // A model that forgets, but for its layers: the graph has no use for the inputs of layers that do.
  const file = await rareModel("lfm2", [["shortconv.l_cache", uint32(3)]], attention);
  const model = await scriptModel(["Fine."]);
  const models = { rare: { path: file, contextSize: 64 }, good: { path: model } };
  const engine = await openEngine([], { models, gpu: false });
  const asked = () => rejection(engine.generate("Hi", { model: "rare", maxTokens: 2 }));
  const failed = {
    code: "DECODE_FAILED",
    message: expect.stringMatching(/an assertion of llama\.cpp failed/) as string,
  };
  expect(await asked()).toMatchObject(failed);
  expect(await asked()).toMatchObject({ ...failed, message: expect.stringMatching(/load the model anew/) as string });
  await engine.models.unload("rare");
  expect((await engine.generate("Hi")).text).toBe("Fine.");
});

test("a tensor that llama.cpp does not ask for, and its graph reads, is asked for", async () => {
  const engine = await openEngine(["Fine."]);
  const keys = ["conv_kernel", "state_size", "time_step_rank", "group_count"].map((key): [string, GgufValue] => [
    `ssm.${key}`,
    uint32(2),
  ]);
  const state: Shape[] = [
    ["ssm_in", width, 2 * width + 2 * 2 * 2 + 2],
    ["ssm_conv1d", 2, width + 2 * 2 * 2],
    ["ssm_dt.bias", 2],
  ];
  const file = await rareModel("falcon-h1", [...keys, ["ssm.inner_size", uint32(width)]], [...attention, ...state]);
  expect(await rejection(engine.models.load("rare", { path: file, contextSize: 64 }))).toMatchObject({
    code: "MODEL_FILE_INVALID",
    message: expect.stringMatching(/'blk\.0\.ssm_conv1d\.bias' is missing/) as string,
  });
});
