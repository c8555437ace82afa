// A GPU without a GPU: Mesa's software device (llvmpipe), which ggml leaves out unless it is asked for by number.
// Skipped where Mesa's driver is not installed; with LLAMA_HOOKS_VULKAN=required it fails there.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { cliCommand, jsonLines, script, start } from "./fixtures/child.js";
import { scriptModel } from "./support/engine.js";

const driver = ["x86_64", "aarch64"].map((arch) => `/usr/share/vulkan/icd.d/lvp_icd.${arch}.json`).find(existsSync);
const required = process.env["LLAMA_HOOKS_VULKAN"] === "required";
const softwareOnly = { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver };
const title = driver === undefined ? " (skipped: no Mesa software driver)" : "";

const program = `
  const engine = await createEngine({ model, gpu: "vulkan", threads: 1, contextSize: 256, parallel: 1 });
  const { text } = await engine.generate("go");
  const devices = engine.systemInfo().devices.map(({ type }) => type);
  console.log(JSON.stringify({ text, devices, on: engine.models.list()[0].devices }));
  await engine.close();
`;

test.skipIf(driver === undefined && !required)(`a model runs on a Vulkan device${title}`, async () => {
  const env = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0" };
  const { code, stdout, stderr } = await script(program, await scriptModel(["One two three."]), [], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    text: "One two three.",
    devices: ["cpu", "gpu"],
    on: expect.arrayContaining(["Vulkan0"]),
  });
});

test.skipIf(driver === undefined && !required)(
  `a GPU asked for by name is not replaced by the CPU${title}`,
  async () => {
    const { code, stderr } = await script(program, await scriptModel(["One two three."]), [], softwareOnly);
    expect(code).toBe(1);
    expect(stderr).toContain("BACKEND_UNAVAILABLE");
    expect(stderr).toContain("finds no device");
  },
);

interface UnderBudget {
  told: object[];
  measured: { deviceBytes: number };
  memory: { device: string }[];
  used: number;
  states: string[];
  refused: object;
}

const underBudget = `
  const engine = await createEngine({ models: {}, gpu: "vulkan", threads: 1, parallel: 1, memoryBudget: 40 });
  const told = [];
  engine.hooks.on("vramPressure", ({ device, cause, plan, vramTotalMb }) => void told.push({ device, cause, plan, vramTotalMb }));
  const shape = { path: model, contextSize: 16384 };
  const { measured, memory } = await engine.models.load("left", shape);
  const used = engine.memory().find(({ device }) => device === "Vulkan0").usedBytes;
  await engine.models.load("right", shape);
  const states = engine.models.list().map(({ modelId, state }) => modelId + " " + state);
  engine.hooks.on("vramPressure", ({ plan }) => ({ plan: [] }));
  const refused = await engine.models.load("third", shape).catch(({ code, message }) => ({ code, message }));
  console.log(JSON.stringify({ told, measured, memory, used, states, refused }));
  await engine.close();
`;

test.skipIf(driver === undefined && !required)(`a budget holds for a Vulkan device, too${title}`, async () => {
  const env = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0" };
  const { code, stdout, stderr } = await script(underBudget, await scriptModel(["One two three."]), [], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { told, measured, memory, used, states, refused } = JSON.parse(stdout) as UnderBudget;
  console.log(JSON.stringify(memory));
  expect(measured.deviceBytes).toBeGreaterThan(2 ** 24);
  expect(used).toBe(measured.deviceBytes);
  expect(memory.map(({ device }) => device)).toEqual(expect.arrayContaining(["Vulkan0", "CPU"]));
  expect(told[0]).toEqual({ device: "Vulkan0", cause: "context", plan: ["left"], vramTotalMb: 40 });
  expect(states).toEqual(["left cold", "right ready"]);
  expect(refused).toMatchObject({ code: "INSUFFICIENT_MEMORY", message: expect.stringContaining("on Vulkan0") });
});

test.skipIf(driver === undefined && !required)(
  `doctor shows the module, its device, and what it has free${title}`,
  async () => {
    const [node, main] = cliCommand;
    const env = { ...softwareOnly, GGML_VK_VISIBLE_DEVICES: "0" };
    const { code, stdout, stderr } = await start(node, [main, "doctor", "--json"], env).ended;
    expect([code, stderr]).toEqual([0, ""]);
    const { findings } = jsonLines(stdout)[0] as { findings: { about: string; says: string }[] };
    const says = (about: string): string[] => findings.filter((one) => one.about === about).map((one) => one.says);
    expect(says("vulkan")).toEqual([expect.stringMatching(/libggml-vulkan\.so works$/)]);
    expect(says("device")).toEqual([expect.stringMatching(/^Vulkan0: .*llvmpipe.*, [\d.]+ \wB of [\d.]+ \wB free$/)]);
  },
);
