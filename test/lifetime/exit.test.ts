import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Ended, node, quiet, start } from "../fixtures/child.js";
import { stages } from "../fixtures/stages.mjs";
import { scriptModel } from "../support/engine.js";

const program = fileURLToPath(new URL("../fixtures/at-stage.mjs", import.meta.url));
const names = Object.keys(stages);
const endless = { text: " la di da", endless: true };

async function endAt(stage: string, ending: "exit" | "throw" | "reject"): Promise<Ended> {
  return node([program, stage, ending, await scriptModel([endless])]);
}

describe("process.exit() ends the process at once with its code", () => {
  test.each(names)("%s", async (stage) => {
    expect(await endAt(stage, "exit")).toEqual({ ...quiet(7), stdout: "exit\n" });
  });
});

describe("an uncaught exception ends the process with its message and code 1", () => {
  const stuck = ["inside a hook", "inside an observer"];
  test.each(names.filter((name) => !stuck.includes(name)))("%s", async (stage) => {
    const { code, signal, stderr } = await endAt(stage, "throw");
    expect([code, signal]).toEqual([1, null]);
    expect(stderr).toContain("Error: not caught");
  });
});

describe("an unhandled rejection ends the process with its message and code 1", () => {
  test.each(["while tokens come", "while an async hook is pending"])("%s", async (stage) => {
    const { code, signal, stderr } = await endAt(stage, "reject");
    expect([code, signal]).toEqual([1, null]);
    expect(stderr).toContain("Error: not caught");
  });
});

describe("SIGTERM ends the process as it ends any other", () => {
  test.each(names)("%s", async (stage) => {
    const child = start(process.execPath, [program, stage, "wait", await scriptModel([endless])]);
    await child.said("now");
    child.process.kill("SIGTERM");
    expect(await child.ended).toEqual({ code: null, signal: "SIGTERM", stdout: "now\n", stderr: "" });
  });
});
