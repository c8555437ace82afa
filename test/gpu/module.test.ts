import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createEngine, type Gpu } from "../../src/index.js";
import { rejection, tempDir } from "../support/engine.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

function open(gpu: Gpu) {
  return createEngine({ gpu, models: {} });
}

test.each(["auto", "cuda", "vulkan"] as const)("a GPU module that is not there is named, gpu: %s", async (gpu) => {
  const file = path.join(await tempDir(), "libggml-none.so");
  vi.stubEnv("LLAMA_HOOKS_GPU_MODULE", file);
  expect(await rejection(open(gpu))).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(/^LLAMA_HOOKS_GPU_MODULE names .*libggml-none\.so/),
  });
});

test("no packaged module stands in for a module that cannot be used; the CPU does, where the choice is free", async () => {
  const file = path.join(await tempDir(), "libggml-cuda.so");
  await writeFile(file, "not a library");
  vi.stubEnv("LLAMA_HOOKS_GPU_MODULE", file);
  expect(await rejection(open("vulkan"))).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringContaining(file),
  });
  const engine = await open("auto");
  expect(engine.systemInfo().devices.map(({ type }) => type)).toEqual(["cpu"]);
  await engine.close();
});

test("without a GPU the module does not matter", async () => {
  vi.stubEnv("LLAMA_HOOKS_GPU_MODULE", "nowhere/libggml-cuda.so");
  const engine = await open(false);
  await engine.close();
});
