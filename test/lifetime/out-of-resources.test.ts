// The engine reports an error if the system gives no thread or no memory. The process continues, and recovers with them.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { quiet, start } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";

const program = fileURLToPath(new URL("../fixtures/at-its-limits.mjs", import.meta.url));

/** Why the limits cannot be set here; "": they can. */
function noLimits(): string {
  try {
    execFileSync("prlimit", ["--stack=67108864:", "true"], { stdio: "ignore" });
    return process.platform === "linux" ? "" : "it is not Linux";
  } catch {
    return "no prlimit that may set the size of stacks";
  }
}

async function outcomes(trial: string): Promise<string[]> {
  const model = await scriptModel(["Hello."]);
  const args = ["--stack=67108864:", process.execPath, program, model, trial];
  // One arena: with one for each thread, glibc maps each small allocation by itself near the limit, for 10 s and more.
  const { stdout, ...end } = await start("prlimit", args, { MALLOC_ARENA_MAX: "1" }).ended;
  expect(end).toEqual(quiet(0));
  return JSON.parse(stdout) as string[];
}

const why = noLimits();

describe.skipIf(why)(`at the limits of the system${why ? ` (skipped: ${why})` : ""}`, () => {
  test("whatever needs a thread that cannot be started is NO_THREAD, and is done when it can", async () => {
    const said = await outcomes("no thread");
    expect(said).toEqual([...Array(7).fill("NO_THREAD"), "done", "done"]);
  });

  test("a run without its clock and a model without its threads are NO_THREAD, and no abort", async () => {
    expect(await outcomes("one thread")).toEqual(["NO_THREAD", "NO_THREAD", "done"]);
  });

  test("a close that no thread can be had for says so, the engine takes no new work, and a second close closes", async () => {
    expect(await outcomes("no thread to close")).toEqual(["NO_THREAD", "CLOSED", "done"]);
  });

  test("memory that runs out in the midst of something has a code, and the engine continues", async () => {
    const [long, ...others] = await outcomes("no memory");
    // A long text is tokenized on a separate thread, whose stack needs memory, too.
    expect(["INSUFFICIENT_MEMORY", "NO_THREAD"]).toContain(long);
    expect(others).toEqual(["INSUFFICIENT_MEMORY", "done"]);
  });
});
