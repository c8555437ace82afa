// Tests that need an NVIDIA card. Without one they are skipped, with the reason.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { start } from "../fixtures/child.js";

const folder = path.resolve("build/gpu");
const module = path.join(folder, "libggml-cuda.so");

function missing(): string | undefined {
  if (spawnSync("nvidia-smi", ["--list-gpus"]).status !== 0) return "nvidia-smi finds no NVIDIA card";
  return existsSync(module) ? undefined : "bench/gpu.sh build has not been run";
}

const why = missing();

test.skipIf(why !== undefined)(
  `ON_VRAM_PRESSURE fires by the card's own figures, and what is given up is free${why === undefined ? "" : ` (skipped: ${why})`}`,
  async () => {
    const libraries = [readFileSync(path.join(folder, "library-path"), "utf8").trim(), process.env["LD_LIBRARY_PATH"]];
    const { code, stdout, stderr } = await start(
      process.execPath,
      ["bench/gpu/pressure.mjs", "--gpu", "cuda", "--module", module],
      { LD_LIBRARY_PATH: libraries.filter(Boolean).join(":") },
    ).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ states: ["first cold", "second ready", "third ready"] });
  },
);
