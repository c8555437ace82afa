// A GPU without a GPU: Mesa's software device (llvmpipe), which ggml leaves out unless it is asked for by number.
// Skipped where Mesa's driver is not installed; with LLAMA_HOOKS_VULKAN=required it fails there.
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createEngine } from "../../src/index.js";
import { writeSyntheticModel } from "../../src/testing/index.js";
import { cliCommand, jsonLines, script, start } from "../fixtures/child.js";
import { isFromSource } from "../support/built.js";
import { rejection, scriptModel, tempDir } from "../support/engine.js";

const driver = ["x86_64", "aarch64"].map((arch) => `/usr/share/vulkan/icd.d/lvp_icd.${arch}.json`).find(existsSync);
const required = process.env["LLAMA_HOOKS_VULKAN"] === "required";
const softwareOnly = { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver };
const why = isFromSource ? "llama.cpp was built from source, without this module" : "no Mesa software driver";
const skips = isFromSource || (driver === undefined && !required);
const title = skips ? ` (skipped: ${why})` : "";

/** Every layer is computed by the processors, beside whatever else they do. */
const limitMs = 240_000;
vi.setConfig({ testTimeout: limitMs + 10_000 });

const visible = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0" };
/** The JSON that a program writes under these variables. */
async function printed<T>(code: string, model: string, env: NodeJS.ProcessEnv = visible): Promise<T> {
  const { code: status, stdout, stderr } = await script(code, model, [], env, limitMs);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

const program = `
  const engine = await createEngine({ model, gpu: "vulkan", threads: 1, contextSize: 256, parallel: 1 });
  const { text } = await engine.generate("go");
  const devices = engine.systemInfo().devices.map(({ type }) => type);
  console.log(JSON.stringify({ text, devices, on: engine.models.list()[0].devices }));
  await engine.close();
`;

test.skipIf(skips)(`a model runs on a Vulkan device${title}`, async () => {
  const env = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0" };
  const { code, stdout, stderr } = await script(program, await scriptModel(["One two three."]), [], env, limitMs);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    text: "One two three.",
    devices: ["cpu", "gpu"],
    on: expect.arrayContaining(["Vulkan0"]),
  });
});

test.skipIf(skips)(`a GPU asked for by name is not replaced by the CPU${title}`, async () => {
  const { code, stderr } = await script(program, await scriptModel(["One two three."]), [], softwareOnly, limitMs);
  expect(code).toBe(1);
  expect(stderr).toContain("BACKEND_UNAVAILABLE");
  expect(stderr).toContain("finds no device");
});

test.skipIf(skips)(
  `the backend is chosen once for a process: asking for another is an error with a code${title}`,
  async () => {
    const module = "../../node_modules/@node-llama-cpp/linux-x64-vulkan/bins/linux-x64-vulkan/libggml-vulkan.so";
    const other = path.join(await tempDir(), "libggml-other.so");
    await symlink(fileURLToPath(new URL(module, import.meta.url)), other);
    const asking = (options: string, after = "") => `
      const first = await createEngine(${options});
      ${after}
      const message = await createEngine({ models: {}, gpu: "vulkan" }).catch(({ code, message }) => code + ": " + message);
      await first.close();
      console.log(JSON.stringify(message));
    `;
    const model = await scriptModel(["One two three."]);
    const renamed = `process.env.LLAMA_HOOKS_GPU_MODULE = ${JSON.stringify(other)};`;
    expect(await printed<string>(asking('{ models: {}, gpu: "vulkan" }', renamed), model)).toMatch(
      /^BACKEND_UNAVAILABLE: this process already uses the GPU module .*libggml-vulkan\.so/,
    );
    expect(await printed<string>(asking("{ model, ...onCpu }"), model)).toMatch(
      /^BACKEND_UNAVAILABLE: the GPU module .*libggml-vulkan\.so must be asked for by the first engine/,
    );
  },
);

interface UnderBudget {
  events: object[];
  measured: { deviceBytes: number };
  memory: { device: string }[];
  used: number;
  states: string[];
  refused: object;
}

const underBudget = (budget: object) => `
  const engine = await createEngine({ models: {}, gpu: "vulkan", threads: 1, parallel: 1, ...${JSON.stringify(budget)} });
  const events = [];
  engine.hooks.on("vramPressure", ({ device, cause, plan, vramTotalMb }) => void events.push({ device, cause, plan, vramTotalMb }));
  const shape = { path: model, contextSize: 16384 };
  const { measured, memory } = await engine.models.load("left", shape);
  const used = engine.memory().find(({ device }) => device === "Vulkan0").usedBytes;
  await engine.models.load("right", shape);
  const states = engine.models.list().map(({ modelId, state }) => modelId + " " + state);
  engine.hooks.on("vramPressure", ({ plan }) => ({ plan: [] }));
  const refused = await engine.models.load("third", shape).catch(({ code, message }) => ({ code, message }));
  console.log(JSON.stringify({ events, measured, memory, used, states, refused }));
  await engine.close();
`;

test
  .skipIf(skips)
  .each([
    { memoryBudget: 40 },
    { deviceBudgets: { Vulkan0: 40 } },
    { deviceBudgets: { Vulkan0: 40 }, memoryBudget: 4096 },
  ])(`a budget holds for a Vulkan device, too: %j${title}`, async (budget) => {
  const env = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0" };
  const { code, stdout, stderr } = await script(
    underBudget(budget),
    await scriptModel(["One two three."]),
    [],
    env,
    limitMs,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { events, measured, memory, used, states, refused } = JSON.parse(stdout) as UnderBudget;
  console.log(JSON.stringify(memory));
  expect(measured.deviceBytes).toBeGreaterThan(2 ** 24);
  expect(used).toBe(measured.deviceBytes);
  expect(memory.map(({ device }) => device)).toEqual(expect.arrayContaining(["Vulkan0", "CPU"]));
  expect(events[0]).toEqual({ device: "Vulkan0", cause: "context", plan: ["left"], vramTotalMb: 40 });
  expect(states).toEqual(["left cold", "right ready"]);
  expect(refused).toMatchObject({ code: "INSUFFICIENT_MEMORY", message: expect.stringContaining("on Vulkan0") });
});

test.skipIf(skips)(
  `what bench/gpu.sh fills a card with is given up on a Vulkan device under a budget${title}`,
  async () => {
    const pressure = ["bench/gpu/pressure.mjs", "--gpu", "vulkan", "--budget", "256"];
    const { code, stdout, stderr } = await start(process.execPath, pressure, visible, { limitMs }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      device: "Vulkan0",
      event: { device: "Vulkan0", cause: "context", budgetBytes: 256 * 2 ** 20, plan: ["first"] },
      states: ["first cold", "second ready", "third ready"],
    });
  },
);

interface Placed {
  gpuLayers: number;
  layers: number;
  contextSize: number;
  devices: string[];
  memory: { device: string; layers: number; modelBytes: number; contextBytes: number; computeBytes: number }[];
  measured: { deviceBytes: number; hostBytes: number };
}

/** `experts`: a mixture of so many in each layer. */
async function layered(experts?: number): Promise<string> {
  const file = path.join(await tempDir(), "layered.gguf");
  const shape = { layers: 6, embedding: 128, heads: 4, kvHeads: 2, feedForward: 512, vocabulary: 512 };
  await writeSyntheticModel(file, experts === undefined ? shape : { ...shape, experts });
  return file;
}

const layersOn = ({ memory }: Placed): Record<string, number> =>
  Object.fromEntries(memory.filter(({ layers }) => layers > 0).map(({ device, layers }) => [device, layers]));

const placed = `
  const engine = await createEngine({ models: {}, gpu: "vulkan" });
  const load = async (id, options, quiet = false) => {
    const info = await engine.models.load(id, { path: model, threads: 1, parallel: 1, contextSize: 256, ...options });
    if (!quiet) await engine.generate("go", { model: id, maxTokens: 4, temperature: 0 });
    const same = JSON.stringify(engine.models.describe(id)) === JSON.stringify(info);
    return { ...info, same };
  };
`;

test.skipIf(skips)(`layers go where they are asked for, and describe() and the hooks show it${title}`, async () => {
  const code = `${placed}
    const some = await load("some", { gpuLayers: 2 });
    const all = await load("all", {});
    const none = await load("none", { gpuLayers: 0 });
    const reported = {};
    engine.hooks.on("modelLoad", ({ params, estimate }) => (reported.estimate = estimate, { params: { ...params, gpuLayers: 3 } }));
    engine.hooks.on("modelReady", ({ measured, devices }) => void Object.assign(reported, { measured, devices }));
    engine.hooks.on("modelUnload", ({ freed }) => void (reported.freed = freed));
    const hooked = await load("hooked", { gpuLayers: 0 });
    await engine.models.unload("hooked");
    engine.hooks.clear();
    const estimate = await engine.models.estimate({ path: model, threads: 1, parallel: 1, contextSize: 256, gpuLayers: 3 });
    console.log(JSON.stringify({ some, all, none, hooked, reported, estimate }));
    await engine.close();
  `;
  type One = Placed & { same: boolean };
  interface Reported {
    reported: { measured: object; freed: object; devices: string[] };
    estimate: Placed & { estimate: { deviceBytes: number } };
  }
  const {
    some,
    all,
    none,
    hooked,
    reported: heard,
    estimate,
  } = await printed<Record<"some" | "all" | "none" | "hooked", One> & Reported>(code, await layered());
  expect([some, all, none, hooked].map(({ gpuLayers, layers }) => [gpuLayers, layers])).toEqual([
    [2, 6],
    [7, 6],
    [0, 6],
    [3, 6],
  ]);
  expect([some, all, none, hooked].map(layersOn)).toEqual([
    { CPU: 5, Vulkan0: 1 },
    { Vulkan0: 6 },
    { CPU: 6 },
    { CPU: 4, Vulkan0: 2 },
  ]);
  expect([some, all, none, hooked].map(({ same }) => same)).toEqual([true, true, true, true]);
  expect(none.devices).toEqual(["CPU"]);
  expect(heard.devices).toEqual(["CPU", "Vulkan0"]);
  expect(heard.measured).toEqual(hooked.measured);
  expect(heard.freed).toEqual({ ...hooked.measured, measured: true });
  expect(layersOn(estimate)).toEqual(layersOn(hooked));
  expect(Math.abs(estimate.estimate.deviceBytes - hooked.measured.deviceBytes)).toBeLessThan(
    0.05 * hooked.measured.deviceBytes,
  );
});

test.skipIf(skips)(`experts stay in main memory where that is asked for${title}`, async () => {
  const code = `${placed}
    const on = await load("on", {}, true); // Mesa's driver does not survive experts that compute
    const half = await load("half", { cpuMoe: 3 }, true);
    const off = await load("off", { cpuMoe: -1 });
    console.log(JSON.stringify({ on, half, off }));
    await engine.close();
  `;
  const { on, half, off } = await printed<Record<"on" | "half" | "off", Placed>>(code, await layered(4));
  const weights = ({ memory }: Placed): number => memory.find(({ device }) => device === "Vulkan0")?.modelBytes ?? 0;
  const layer = (weights(on) - weights(off)) / 6;
  // Three matrices of 128 x 512 for each of four experts, 4.5 bits a weight.
  expect(layer / ((3 * 4 * 128 * 512 * 4.5) / 8)).toBeCloseTo(1, 2);
  expect(weights(on) - weights(half)).toBeCloseTo(3 * layer, -4);
  expect([on, half, off].map(({ gpuLayers }) => gpuLayers)).toEqual([7, 7, 7]);
});

test.skipIf(skips)(`several devices share a model as the options say${title}`, async () => {
  const code = `${placed}
    const split = await load("split", { tensorSplit: [1, 2] });
    const whole = await load("whole", { splitMode: "none", mainDevice: "Vulkan1" });
    const named = await load("named", { devices: ["Vulkan1"] });
    const refused = [];
    for (const wrong of [{ devices: ["Vulkan7"] }, { devices: ["CPU"] }, { devices: ["Vulkan0", "Vulkan0"] }, { tensorSplit: [1] }, { tensorSplit: [0, 0] }, { splitMode: "none", mainDevice: "CUDA0" }])
      refused.push(await load("wrong", wrong).catch(({ code, message }) => code + ": " + message));
    console.log(JSON.stringify({ split, whole, named, refused }));
    await engine.close();
  `;
  const env = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0,0" };
  const { refused, ...models } = await printed<Record<"split" | "whole" | "named", Placed> & { refused: string[] }>(
    code,
    await layered(),
    env,
  );
  const { split, whole, named } = models;
  expect(layersOn(split)).toEqual({ Vulkan0: 3, Vulkan1: 3 });
  expect([whole, named].map(layersOn)).toEqual([{ Vulkan1: 6 }, { Vulkan1: 6 }]);
  expect([split, whole, named].map(({ devices }) => devices)).toEqual([
    ["CPU", "Vulkan0", "Vulkan1"],
    ["CPU", "Vulkan1"],
    ["CPU", "Vulkan1"],
  ]);
  for (const [index, words] of ["Vulkan7", "CPU", "twice", "tensorSplit", "tensorSplit", "CUDA0"].entries())
    expect(refused[index]).toMatch(new RegExp(`^INVALID_ARGUMENT: .*${words}`));
});

test.skipIf(skips)(
  `"auto" takes as many layers, and as large a context, as the budget of the device allows${title}`,
  async () => {
    const code = `
    const engine = await createEngine({ models: {}, gpu: "vulkan", memoryBudget: 5 });
    const options = { path: model, threads: 1, parallel: 1, batchSize: 32, gpuLayers: "auto" };
    const seen = [];
    engine.hooks.on("modelLoad", ({ params }) => void seen.push(params.gpuLayers, params.contextSize));
    const info = await engine.models.load("one", { ...options, contextSize: 4096 });
    const more = await engine.models.estimate({ ...options, contextSize: 4096, gpuLayers: info.gpuLayers + 1 });
    await engine.models.unload("one");
    const both = await engine.models.load("both", { ...options, contextSize: "auto" });
    await engine.generate("go", { maxTokens: 4, temperature: 0 });
    console.log(JSON.stringify({ info, seen, more, both }));
    await engine.close();
  `;
    const { info, seen, more, both } = await printed<{
      info: Placed;
      seen: number[];
      more: Placed;
      both: Placed;
    }>(code, await layered());
    expect(info.gpuLayers).toBeGreaterThan(0);
    expect(info.gpuLayers).toBeLessThan(7);
    expect(info.measured.deviceBytes).toBeLessThanOrEqual(5 * 2 ** 20);
    const {
      modelBytes = 0,
      contextBytes = 0,
      computeBytes = 0,
    } = more.memory.find(({ device }) => device === "Vulkan0") ?? {};
    expect(modelBytes + contextBytes + computeBytes).toBeGreaterThan(5 * 2 ** 20);
    expect(seen).toEqual([info.gpuLayers, 4096, both.gpuLayers, both.contextSize]);
    expect(both.measured.deviceBytes).toBeLessThanOrEqual(5 * 2 ** 20);
  },
);

test.skipIf(skips)(`doctor shows the module, its device, and what it has free${title}`, async () => {
  const [node, main] = cliCommand;
  const { code, stdout, stderr } = await start(node, [main, "doctor", "--json"], visible, { limitMs }).ended;
  expect([code, stderr]).toEqual([0, ""]);
  const { findings } = jsonLines(stdout)[0] as { findings: { about: string; says: string }[] };
  const says = (about: string): string[] => findings.filter((one) => one.about === about).map((one) => one.says);
  expect(says("vulkan")).toEqual([expect.stringMatching(/libggml-vulkan\.so works$/)]);
  expect(says("device")).toEqual([expect.stringMatching(/^Vulkan0: .*llvmpipe.*, [\d.]+ \wB of [\d.]+ \wB free$/)]);
});

const only = isFromSource ? "" : " (skipped: it was not)";
test.skipIf(!isFromSource)(`where llama.cpp was built from source no module of a package is taken${only}`, async () => {
  const refused = await rejection(createEngine({ models: {}, gpu: "vulkan" }));
  expect(refused).toMatchObject({ code: "BACKEND_UNAVAILABLE", message: expect.stringContaining("from source") });
});
