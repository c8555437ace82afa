// `llama-hooks hooks <address>`: why was my hook not called, in an engine that runs.
import { expect, test } from "vitest";
import { inspect } from "../../src/inspector/index.js";
import { cli, jsonLines } from "../fixtures/child.js";
import { openEngine } from "../support/engine.js";
import { asks, weather } from "../support/sessions.js";

test("each hook with its when, how often its point fired and when matched, and what it did", async () => {
  const engine = await openEngine([asks("Oslo"), "Cold."]);
  await using inspector = await inspect(engine);
  const session = engine.session({ tools: [weather], temperature: 0 });
  session.hooks.on("preToolCall", () => undefined, { name: "shell", when: { toolName: "Shell" } });
  engine.hooks.on("preToolCall", () => ({ cancel: "no" }) as never, { name: "wrong\u001b[2J" });
  await session.run("Hello");
  const text = await cli("hooks", inspector.url);
  expect(text).toMatchObject({ code: 0, stderr: "" });
  expect(text.stdout.replaceAll(/[\d.]+ (?:µs|ms)/g, "TIME").split("\n")).toEqual([
    "preToolCall  wrong␛[2J",
    "      fired 1, matched 1: 1 call, 0 changes, 0 vetoes, 1 failure, TIME",
    expect.stringMatching(/^ {6}.*engine-hooks\.test\.ts:\d+$/),
    "",
    `preToolCall  shell, session ${session.id}`,
    '      when {"toolName":"Shell"}',
    "      fired 1, matched 0: 0 calls, 0 changes, 0 vetoes, 0 failures, 0 µs".replace("0 µs", "TIME"),
    expect.stringMatching(/^ {6}.*engine-hooks\.test\.ts:\d+$/),
    "",
  ]);
  await session.close();
  const { stdout } = await cli("hooks", inspector.url, "--json");
  expect(jsonLines(stdout)).toMatchObject([
    { name: "wrong\u001b[2J", point: "preToolCall", level: "engine", when: null, fired: 1, matched: 1, failures: 1 },
    { name: "shell", when: { toolName: "Shell" }, sessionId: session.id, fired: 1, matched: 0, calls: 0, ended: true },
  ]);
});

test("what is not an address of an inspector is refused, and says what is", async () => {
  const engine = await openEngine();
  const inspector = await inspect(engine);
  const { origin } = new URL(inspector.url);
  for (const wrong of [
    "more",
    origin,
    "http://192.0.2.1:80/#token-of-16-chars",
    inspector.url.replace("http", "https"),
  ])
    expect(await cli("hooks", wrong)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/as --inspect prints it .*\(INVALID_ARGUMENT\)/s) as string,
    });
  const other = await cli("hooks", `${origin}/#${"x".repeat(32)}`);
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("does not take this token")]);
  await inspector.close();
  const gone = await cli("hooks", inspector.url);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("no inspector answers at")]);
});
