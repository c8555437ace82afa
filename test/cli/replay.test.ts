// `llama-hooks replay`: exit codes, the text and the lines of a recording that hooks now treat otherwise.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { recordRun } from "../../src/index.js";
import { cli, cliCommand, type Ended, jsonLines, quiet, start } from "../fixtures/child.js";
import { openEngine, tempDir } from "../support/engine.js";
import { asks, weather } from "../support/sessions.js";

async function recorded(): Promise<{ file: string; guard: string }> {
  const engine = await openEngine([asks("Oslo"), "It is cold."]);
  const session = engine.session({ tools: [weather], temperature: 0 });
  const recording = recordRun(session);
  await session.run("How is Oslo?");
  const folder = await tempDir();
  const file = path.join(folder, "run.json");
  await recording.save(file);
  const guard = path.join(folder, "guard.mjs");
  const code = `export default (engine) =>
    engine.hooks.guard("preToolCall", () => ({ [Symbol.for("llama-hooks.cancel")]: true, reason: "no\\u001b[31m weather" }), { name: "indoors" });`;
  await writeFile(guard, code);
  return { file, guard };
}

test("a recording that comes out the same is exit code 0, and one that does not is 1 and shown", async () => {
  const { file, guard } = await recorded();
  expect(await cli("replay", file)).toEqual({ ...quiet(0), stdout: "1 run, as recorded\n" });
  const { stdout, ...end } = await cli("replay", file, "--hooks", guard);
  expect(end).toEqual(quiet(1));
  expect(stdout).toBe(`run 1, tool call 1: weather (indoors)
  recorded  weather({"city":"Oslo"}) ok: Oslo: 4 degrees
  now       weather({"city":"Oslo"}) rejected_hook: blocked by indoors: no\u001b[31m weather

1 run, 1 difference
`);
});

test.skipIf(process.platform === "win32")("a recording may come from a pipe", async () => {
  const { file, guard } = await recorded();
  const piped = (writer: string): Promise<Ended> =>
    start("bash", ["-c", `exec "$0" "$@" <(${writer})`, ...cliCommand, "replay"]).ended;
  expect(await piped(`cat '${file}'`)).toEqual({ ...quiet(0), stdout: "1 run, as recorded\n" });
  const bad = await piped(`cat '${guard}'`);
  expect([bad.code, bad.stdout]).toEqual([1, ""]);
  expect(bad.stderr).toMatch(/^llama-hooks: \/dev\/fd\/\d+ is no recording: .*\(RECORDING_INVALID\)\n$/);
});

test("--json has an object a line", async () => {
  const { file, guard } = await recorded();
  const { stdout, code } = await cli("replay", file, "--hooks", guard, "--json");
  expect([code, jsonLines(stdout)]).toMatchObject([
    1,
    [
      { type: "difference", run: 1, what: "tool call 1: weather", recorded: { resultKind: "ok" }, by: "indoors" },
      { type: "end", same: false, runs: 1, differences: 1, missing: [] },
    ],
  ]);
  const same = await cli("replay", file, "--json");
  expect([same.code, jsonLines(same.stdout)]).toEqual([
    0,
    [{ type: "end", same: true, runs: 1, differences: 0, missing: [] }],
  ]);
});

test("a file that is not a recording, or not a file of hooks, is reported", async () => {
  const { file, guard } = await recorded();
  const bad = await cli("replay", guard);
  expect([bad.code, bad.stdout]).toEqual([1, ""]);
  expect(bad.stderr).toMatch(/^llama-hooks: .*guard\.mjs is no recording: .*\(RECORDING_INVALID\)\n$/);
  expect((await cli("replay", `${file}.none`)).stderr).toContain("(NOT_FOUND)");
  const wrong = await cli("replay", file, "--hooks", file);
  expect(wrong.code).not.toBe(0);
  expect(wrong.stdout).toBe("");
  const broken = path.join(path.dirname(guard), "broken.mjs");
  await writeFile(broken, 'throw new TypeError("on purpose");\n');
  const { code, stdout, stderr } = await cli("replay", file, "--hooks", broken);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^llama-hooks: --hooks .*broken\.mjs: TypeError: on purpose \(FAILED\)\n *at .*broken\.mjs:1:7\n$/,
  );
  expect((await cli("replay")).code).toBe(2);
});
