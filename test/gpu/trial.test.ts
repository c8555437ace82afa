// GPU modules that are broken: each is tried in a separate process, so that it costs a warning, or an error with a code.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createEngine, type Gpu, gpuReport } from "../../src/index.js";
import { script } from "../fixtures/child.js";
import { rejection, scriptModel, tempDir } from "../support/engine.js";
import { compileLibrary } from "../support/native.js";

/** Modules whose drivers go wrong as soon as they are loaded. */
const crashes = "#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\n";
const hangs = "#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { for (;;) pause(); }\n";
/** A module that counts its loads in a file, and then is not a module. */
const counts = (file: string): string => `#include <stdio.h>
__attribute__((constructor)) static void begin(void) {
  FILE *file = fopen(${JSON.stringify(file)}, "a");
  if (file == NULL) return;
  fputs("loaded\\n", file);
  fclose(file);
}
`;

let cache: string;

beforeEach(async () => {
  cache = await tempDir();
  vi.stubEnv("LLAMA_HOOKS_CACHE", cache);
  vi.stubEnv("LLAMA_HOOKS_GPU_TRIAL_MS", "60000");
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function module(source: string): Promise<string> {
  const file = await compileLibrary(source, { headers: false });
  vi.stubEnv("LLAMA_HOOKS_GPU_MODULE", file);
  return file;
}

const open = (gpu: Gpu) => createEngine({ gpu, models: {} });
const notes = (): Promise<string[]> => readdir(path.join(cache, "gpu")).catch(() => []);

test.each([
  ["crashes", crashes, "60000", /crashed \(SIGABRT\)/],
  ["hangs", hangs, "3000", /had not answered after 3000 ms/],
])(
  "a module that %s: an error for who asked for it, a warning and the CPU for who did not",
  async (_, source, limit, how) => {
    vi.stubEnv("LLAMA_HOOKS_GPU_TRIAL_MS", limit);
    const file = await module(source);
    expect(await rejection(open("vulkan"))).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringMatching(how),
    });
    const env = { LLAMA_HOOKS_GPU_MODULE: file, LLAMA_HOOKS_CACHE: cache, LLAMA_HOOKS_GPU_TRIAL_MS: limit };
    const program = `
    for (const again of [1, 2]) {
      const engine = await createEngine({ model, threads: 1, contextSize: 256, parallel: 1 });
      const { text } = await engine.generate("go");
      console.log(text, engine.systemInfo().devices.map(({ type }) => type).join());
      await engine.close();
    }
  `;
    const { code, stdout, stderr } = await script(program, await scriptModel(["One two three."]), [], env);
    expect([code, stdout]).toEqual([0, "One two three. cpu\n".repeat(2)]);
    expect(stderr).toMatch(how);
    expect(stderr.match(/Going on without it/g)).toHaveLength(1);
  },
);

test("a module is tried once, until it is another file, or somebody wants to know", async () => {
  const log = path.join(await tempDir(), "loads");
  await writeFile(log, "");
  const loads = async (): Promise<number> => (await readFile(log, "utf8")).split("\n").length - 1;
  const file = await module(counts(log));
  const failure = await rejection(open("vulkan"));
  expect(failure).toMatchObject({ code: "BACKEND_UNAVAILABLE", message: expect.stringContaining(file) });
  expect([await loads(), await notes()]).toEqual([1, [expect.stringMatching(/\.json$/)]]);
  const again = `await createEngine({ gpu: "vulkan", models: {} }).catch(({ code }) => console.log(code));`;
  const env = { LLAMA_HOOKS_GPU_MODULE: file, LLAMA_HOOKS_CACHE: cache, LLAMA_HOOKS_GPU_TRIAL_MS: "60000" };
  expect((await script(again, "", [], env)).stdout).toBe("BACKEND_UNAVAILABLE\n");
  expect(await loads()).toBe(1); // as the folder has it
  const [note = ""] = await notes();
  await writeFile(path.join(cache, "gpu", note), '{"trial": {"state": "splendid"}');
  expect((await script(again, "", [], env)).stdout).toBe("BACKEND_UNAVAILABLE\n");
  expect(await loads()).toBe(2); // what cannot be read is not an answer
  const [report] = await gpuReport();
  expect(report).toMatchObject({ backend: "own", module: file, trial: { state: "broken", devices: [] } });
  expect(await loads()).toBe(3);
  expect((await script(again, "", [], { ...env, GGML_VK_VISIBLE_DEVICES: "7" })).stdout).toBe("BACKEND_UNAVAILABLE\n");
  expect([await loads(), (await notes()).length]).toEqual([4, 2]);
});

test("nothing is tried without a GPU, and nothing kept", async () => {
  await module(crashes);
  const engine = await open(false);
  await engine.close();
  expect(await notes()).toEqual([]);
});

test("an abort does not wait for a module that hangs", async () => {
  vi.stubEnv("LLAMA_HOOKS_GPU_TRIAL_MS", "5000");
  await module(hangs);
  const stop = new AbortController();
  const opening = createEngine({ gpu: "auto", models: {}, signal: stop.signal });
  stop.abort("enough");
  expect(await rejection(opening)).toMatchObject({ code: "CANCELLED", cause: "enough" });
});

test("no module comes to a process that has opened a model", async () => {
  await module(counts("/dev/null"));
  vi.stubEnv("LLAMA_HOOKS_GPU_TRIAL_MS", "0");
  const first = await createEngine({ gpu: false, threads: 1, model: await scriptModel(["One."]) });
  expect(await rejection(open("vulkan"))).toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringContaining("must be asked for by the first engine"),
  });
  const second = await open("auto");
  await second.close();
  expect((await first.generate("go")).text).toBe("One.");
  await first.close();
});
