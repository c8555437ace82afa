// Output that cannot be written, or that is cut short: what the command says, and what it ends with.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cliCommand, type Ended, quiet, start, startCli } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const commands = ["hooks", "hooks --json", "models", "--help", "run --help", "--version", "doctor --gpu off"];

test.each(commands)(
  "a reader that has left before %s writes is not a failure, and nothing is said of it",
  async (command) => {
    const child = startCli(...command.split(" "));
    child.process.stdout?.destroy();
    expect(await child.ended).toMatchObject(quiet(0));
  },
);

describe.skipIf(!existsSync("/dev/full"))("on a full device", () => {
  const into = (redirect: string, ...args: readonly string[]): Promise<Ended> => {
    const words = [...cliCommand, ...args].map((word) => `'${word}'`).join(" ");
    return start("sh", ["-c", `${words} ${redirect}`]).ended;
  };

  test.each(commands)("%s ends with 1 and says why", async (command) => {
    const { code, stderr } = await into("> /dev/full", ...command.split(" "));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^llama-hooks: cannot write to stdout: ENOSPC.*\n$/)]);
  });

  test.each([{ more: [] }, { more: ["--json"] }])("a run ends with 1 and says why: %j", async ({ more }) => {
    const { code, stderr } = await into(
      "> /dev/full",
      "run",
      "--model",
      await scriptModel(["Hello."]),
      "--prompt",
      "hi",
      ...more,
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^llama-hooks: cannot write to stdout: ENOSPC/m)]);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test("notes that cannot be written are no success either", async () => {
    const { code, stdout } = await into(
      "2> /dev/full",
      "run",
      "--model",
      await scriptModel(["Hello."]),
      "--prompt",
      "hi",
    );
    expect([code, stdout]).toEqual([1, "Hello.\n"]);
  });
});

test.skipIf(process.platform === "win32")(
  "SIGINT while a model loads ends with 130 and says so, as JSON too",
  async () => {
    const hooks = path.join(await tempDir(), "hooks.mjs");
    await writeFile(
      hooks,
      `export default (engine) => engine.hooks.on("modelLoad", () => {
  process.stdout.write("loading");
  return new Promise(() => {});
}, { deadlineMs: 0 });`,
    );
    const args = ["run", "--model", await scriptModel(["Hello."]), "--prompt", "hi", "--hooks", hooks];
    for (const [more, out, err] of [
      [[], "loading", "interrupted\n"],
      [["--json"], 'loading{"type":"error","code":"CANCELLED","message":"interrupted"}\n', ""],
    ] as const) {
      const child = startCli(...args, ...more);
      await child.said("loading");
      child.process.kill("SIGINT");
      expect(await child.ended).toEqual({ code: 130, signal: null, stdout: out, stderr: err });
    }
  },
);
