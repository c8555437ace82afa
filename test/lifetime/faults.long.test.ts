// Faults from outside at single moments: kills and full disks while files are written, codes of llama_decode, a clock that
// jumps. scripts/reliability has the faults; here a part of the moments is tried.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { start } from "../fixtures/child.js";
import { tempDir } from "../support/engine.js";

const script = fileURLToPath(new URL("../../scripts/reliability.mjs", import.meta.url));
const limitMs = 900_000;

interface Part {
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** The part as a run of a few minutes does it. */
async function tried(part: string): Promise<Part> {
  const out = await tempDir();
  const args = [script, "--part", part, "--minutes", "5", "--out", out];
  const { stderr } = await start(process.execPath, args, {}, { limitMs }).ended;
  const text = await readFile(path.join(out, "result.json"), "utf8").catch(() => stderr);
  return (JSON.parse(text) as { parts: [Part] }).parts[0];
}

test.runIf(process.platform === "linux")(
  "a saved session, a recording and a download are whole or absent, whenever a kill or a full disk comes",
  async () => {
    const { counts, faults } = await tried("files");
    expect(faults).toEqual([]);
    expect(counts["moments"]).toBeGreaterThan(20);
  },
  limitMs,
);

test.runIf(process.platform === "linux")(
  "each code of llama_decode is an error with a code, and the engine closes",
  async () => {
    const { counts, faults } = await tried("decode codes");
    expect(faults).toEqual([]);
    expect(counts["DECODE_FAILED"]).toBeGreaterThan(10);
  },
  limitMs,
);

test.runIf(process.platform === "linux")(
  "deadlines and durations do not depend on the clock of the wall",
  async () => {
    const { faults } = await tried("clock");
    expect(faults).toEqual([]);
  },
  limitMs,
);
