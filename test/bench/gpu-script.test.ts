import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const script = fileURLToPath(new URL("../../bench/gpu.sh", import.meta.url));

interface Machine {
  /** The answer of nvidia-smi; undefined: it finds no card. */
  readonly card?: { readonly name: string; readonly compute_cap: string };
  /** The GPU architectures that the CUDA toolkit can compile for. */
  readonly codes?: readonly string[];
}

/** Runs the script on a machine with a made-up card and CUDA toolkit. */
async function gpuScript(args: readonly string[], { card, codes = ["sm_80", "sm_90"] }: Machine = {}) {
  const folder = await tempDir();
  const smi = Object.entries(card ?? {}).map(([query, answer]) => `*--query-gpu=${query}*) echo "${answer}" ;;`);
  const nvcc = `*--list-gpu-code*) echo "${codes.join("\n")}" ;; *) echo "Cuda compilation tools, release 13.0, V13.0.88" ;;`;
  const none = `*) echo "No devices were found"; exit 6 ;;`;
  await program(path.join(folder, "nvidia-smi"), card === undefined ? none : smi.join("\n"));
  await program(path.join(folder, "nvcc"), nvcc);
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, CUDACXX: path.join(folder, "nvcc") };
  return new Promise<{ code: number; err: string }>((resolve) => {
    execFile("bash", [script, ...args], { env }, (error, _, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), err });
    });
  });
}

async function program(file: string, cases: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\ncase "$*" in\n${cases}\nesac\n`);
  await chmod(file, 0o755);
}

const hasNvcc = spawnSync("nvcc", ["--version"]).status === 0;

const hopper = { name: "NVIDIA H200", compute_cap: "9.0" };

test.runIf(process.platform === "linux").each([
  {
    what: "a machine that has everything",
    args: ["check"],
    machine: { card: hopper },
    code: 0,
    says: "CUDA 13.0 for compute capability 90, NVIDIA H200",
  },
  {
    what: "a machine without a card",
    args: ["check"],
    machine: {},
    code: 1,
    says: "no NVIDIA card can be reached, nvidia-smi says: No devices were found",
  },
  {
    what: "a toolkit older than the card",
    args: ["build"],
    machine: { card: { name: "NVIDIA RTX 5090", compute_cap: "12.0" } },
    code: 1,
    says: "the CUDA toolkit 13.0 has no code for compute capability 120",
  },
  {
    what: "a card that is named and that nvcc does not know",
    args: ["build", "--arch", "7.0"],
    machine: {},
    code: 1,
    says: "the CUDA toolkit 13.0 has no code for compute capability 70",
  },
  {
    what: "an option it does not know",
    args: ["run", "--row", "P1"],
    machine: {},
    code: 2,
    says: "unknown option --row",
  },
  { what: "an option without its value", args: ["--models"], machine: {}, code: 2, says: "--models takes a value" },
])("bench/gpu.sh tells of $what", async ({ args, machine, code, says }) => {
  const result = await gpuScript(args, machine);
  expect(result.err).toContain(says);
  expect(result.code).toBe(code);
});

test.runIf(process.platform === "linux" && hasNvcc)(
  "bench/gpu.sh configures the CUDA backend with the nvcc of this machine",
  { timeout: 300_000 },
  async () => {
    // Configuring looks for the file alone; a toolkit may come without it.
    const cublas = await tempDir();
    await mkdir(path.join(cublas, "lib"));
    await mkdir(path.join(cublas, "include"));
    for (const major of [11, 12, 13, 14]) await writeFile(path.join(cublas, "lib", `libcublas.so.${major}`), "");
    const { status, stderr } = spawnSync("bash", [script, "configure", "--arch", "9.0", "--cublas", cublas], {
      encoding: "utf8",
    });
    expect(stderr).toContain("CMake has configured the CUDA backend");
    expect(status).toBe(0);
  },
);
