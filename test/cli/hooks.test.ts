import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { pointNames, POINTS } from "../../src/index.js";
import { cli, jsonLines, quiet } from "../fixtures/child.js";
import { scriptModel, tempDir } from "../support/engine.js";

const hello = { pieces: ["Hello", " there", "."] };
const fixture = (name: string): string => `test/fixtures/${name}-hooks.mjs`;

/** The trace lines of stderr, as "point text" without times. */
function trace(stderr: string): string[] {
  const line = /^│ +(\d+\.\d{3}s) {2}([a-zA-Z]+|[a-z ]+?) {2,}(.*)$/;
  return stderr.split("\n").flatMap((text) => {
    const [, , point, what] = line.exec(text) ?? [];
    return point === undefined || what === undefined
      ? []
      : [`${point} ${what.replace(/ [\d.]+ (?:µs|ms|s)$/, " TIME")}`];
  });
}

test("--hooks takes sets under any name and the functions of a default export, and --trace shows each as it fires", async () => {
  const args = ["--model", await scriptModel([hello]), "--prompt", "hi", "--hooks", fixture("upper"), "--trace"];
  const { stdout, stderr, code } = await cli("run", ...args);
  expect([code, stdout]).toEqual([0, "HELLO THERE.!\n"]);
  expect(trace(stderr)).toEqual([
    "modelLoad watch → no change TIME", // and upper(), a helper with another name, has not been called
    "model loaded default",
    "streamToken upper → changed text ×2 TIME",
    "streamToken upper → no change TIME", // the full stop
    "postGenerate bang → changed content TIME",
  ]);
  expect(stderr).toMatch(/hooks: 5 calls, 3 changes, 0 vetoes, 0 failures/);
});

test("a set that is exported under a name and as default is added once", async () => {
  const file = path.join(await tempDir(), "twice.mjs");
  await writeFile(
    file,
    `export const shout = { name: "shout", handlers: { postGenerate: ({ content }) => ({ content: content + "!" }) } };
export default [shout];`,
  );
  const args = ["--model", await scriptModel([hello]), "--prompt", "hi", "--hooks", file];
  expect(await cli("run", ...args)).toMatchObject({ code: 0, stdout: "Hello there.!\n" });
});

test("a veto is an ordinary end: exit code 0, with who refused and why", async () => {
  const model = await scriptModel([hello]);
  const args = ["run", "--model", model, "--prompt", "hi", "--hooks", fixture("veto"), "--trace"];
  const { stdout, stderr, code } = await cli(...args);
  expect([code, stdout]).toEqual([0, ""]);
  expect(trace(stderr).slice(1)).toEqual([
    "preGenerate first → no change TIME",
    "preGenerate gate → cancelled: not today TIME",
  ]);
  expect(stderr).toContain("halted by gate: not today");
  expect(stderr).toContain("1 veto,");
  const { stdout: json } = await cli(...args.slice(0, -1), "--json");
  expect(jsonLines(json).at(-1)).toMatchObject({ finishReason: "halted", halt: { by: "gate", reason: "not today" } });
});

test("a hook that throws does not fail the run, and the trace says what it threw", async () => {
  const args = ["--model", await scriptModel([hello]), "--prompt", "hi", "--hooks", fixture("failing"), "--trace"];
  const { stdout, stderr, code } = await cli("run", ...args);
  expect([code, stdout]).toEqual([0, "Hello there.\n"]);
  expect(stderr.replaceAll(/\n│ +/g, " ")).toMatch(
    /preGenerate +broken → failed: .*TypeError: no such thing \(HOOK_FAILED\)/,
  );
  // It sleeps for 20 ms by a clock that is not the trace's.
  const [, took] = /postGenerate +slow → no change ([\d.]+ m?s)/.exec(stderr) ?? [];
  expect(Number.parseFloat(took ?? "") * (took?.endsWith(" ms") ? 1 : 1000)).toBeGreaterThan(15);
  expect(stderr).toMatch(/1 failures?/);
});

test("several --hooks are added in order", async () => {
  const args = ["--model", await scriptModel([hello]), "--prompt", "hi", "--trace"];
  const { stderr } = await cli("run", ...args, "--hooks", fixture("failing"), "--hooks", fixture("veto"));
  const names = trace(stderr).flatMap((line) => /^preGenerate (\w+)/.exec(line)?.[1] ?? []);
  expect(names).toEqual(["broken", "first", "gate"]);
});

test("--trace with --json gives the decisions as lines of stdout, with their hooks and durations", async () => {
  const args = ["--model", await scriptModel([hello]), "--prompt", "hi", "--json", "--trace"];
  const { stdout, ...end } = await cli("run", ...args, "--hooks", fixture("upper"), "--hooks", fixture("failing"));
  expect(end).toEqual(quiet(0));
  const decisions = jsonLines(stdout).filter(({ type }) => type === "decision");
  expect(decisions.map(({ point }) => point)).toEqual([
    "modelLoad",
    "preGenerate",
    "streamToken",
    "streamToken",
    "streamToken",
    "postGenerate",
  ]);
  expect(decisions[1]).toMatchObject({
    hooks: [{ name: "broken", outcome: "failed", durationUs: expect.any(Number), error: { code: "HOOK_FAILED" } }],
  });
  expect(decisions[1]).toMatchObject({
    hooks: [{ error: { cause: { name: "TypeError", message: "no such thing" } } }],
  });
  expect(decisions[5]).toMatchObject({ hooks: [{ name: "bang", fields: ["content"] }, { name: "slow" }] });
});

test("hooks prints every point with its number, kind, payload and answers", async () => {
  const { stdout, ...end } = await cli("hooks");
  expect(end).toEqual(quiet(0));
  const heads = stdout.split("\n\n").map((block) => block.trim().split(/\s+/).slice(0, 4));
  expect(heads).toEqual(
    pointNames.map((name) => [String(POINTS[name].number), name, POINTS[name].name, POINTS[name].kind]),
  );
  for (const block of stdout.split("\n\n")) expect(block).toMatch(/payload: [^]*answers: /);
});

test("hooks --json prints every point, one JSON object a line, with an empty stderr", async () => {
  const { stdout, ...end } = await cli("hooks", "--json");
  expect(end).toEqual(quiet(0));
  const points = jsonLines(stdout);
  expect(points.map(({ tsName, number, kind }) => ({ tsName, number, kind }))).toEqual(
    pointNames.map((tsName) => ({ tsName, number: POINTS[tsName].number, kind: POINTS[tsName].kind })),
  );
});
