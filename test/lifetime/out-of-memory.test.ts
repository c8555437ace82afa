// Each allocation of the engine's threads fails in turn while a call with tools runs: the call is done all the same, or
// ends with INSUFFICIENT_MEMORY, and the engine works on. fixtures/fail-allocation.cpp fails them.
import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { jsonLines, start } from "../fixtures/child.js";
import { amount } from "../support/amount.js";
import { scriptModel, tempDir } from "../support/engine.js";

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

const every = process.env["EVERY_ALLOCATION"] === "yes";
/** docs/reliability.md: where llama.cpp itself does not survive. ggml may print a stack in between. */
const mayDie = /no memory for lib(llama|ggml)(?:(?!no memory for)[^])*(?:terminate called|\bvendor\/\S*: GGML_ASSERT)/;

test.runIf(process.platform === "linux")(
  "an allocation that fails during a call with tools is INSUFFICIENT_MEMORY",
  async () => {
    const library = path.join(await tempDir(), "libfail.so");
    const source = fixture("fail-allocation.cpp");
    await promisify(execFile)("c++", ["-shared", "-fPIC", "-std=c++20", "-o", library, source, "-ldl"]);
    const model = await scriptModel(["Sunny."]);
    const codes = new Map<string, number>();
    const deaths: string[] = [];
    const step = every ? 1 : amount(1571, 523);
    for (let from = 1; ;) {
      const args = [fixture("out-of-memory.mjs"), model, `${from}`, "1000000", `${step}`];
      const end = await start(process.execPath, args, { LD_PRELOAD: library }, { limitMs: 600_000 }).ended;
      const lines = jsonLines(end.stdout);
      for (const { code, failed } of lines) {
        if (failed === true) codes.set(String(code), (codes.get(String(code)) ?? 0) + 1);
      }
      if (end.code === 0) {
        expect(lines.at(-1)).toEqual({ text: "Sunny." });
        break;
      }
      const last = lines.at(-1)?.["begin"];
      deaths.push(`${String(last)}: ${end.signal} ${end.stderr}`);
      if (typeof last !== "number") break;
      from = last + step;
    }
    const failed = [...codes.values()].reduce((sum, count) => sum + count, deaths.length);
    console.log(`${failed} allocations failed:`, Object.fromEntries(codes), `and ${deaths.length} ended the process`);
    expect(deaths.filter((one) => !mayDie.test(one))).toEqual([]);
    expect(deaths.length).toBeLessThan(failed / 20);
    expect([...codes.keys()].sort()).toEqual(["INSUFFICIENT_MEMORY", "done"].filter((code) => codes.has(code)));
    expect(codes.get("INSUFFICIENT_MEMORY")).toBeGreaterThan(amount(13, 40));
  },
  900_000,
);
