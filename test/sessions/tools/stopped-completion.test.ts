// stop_processing takes precedence over everything else that its message asks for.
import { expect, test } from "vitest";
import type { SessionOptions } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls, directs, runOnce, resultTexts, weather } from "../../support/sessions.js";

const stop = { type: "stop_processing", params: { reason: "it is late" } };
const stops = calls("directs", { directives: [stop] }).toolCalls;
const completes = calls("complete", { summary: "Done." }).toolCalls;
const options = { tools: [directs, weather], controlTools: ["complete"] } satisfies SessionOptions;
const halted = { finishReason: "halted", halt: { by: "directs", reason: "it is late" } };

test.each([
  ["before", [...stops, ...completes], 1],
  ["behind", [...completes, ...stops], 0],
])("a completion %s it in the message is not carried out, and its hooks are not asked", async (_, toolCalls, at) => {
  const engine = await openEngine([{ toolCalls }, "Well."]);
  let asked = 0;
  engine.hooks.on("complete", () => void asked++);
  const result = await runOnce(engine, options);
  expect(result).toMatchObject(halted);
  expect(resultTexts(result)[at]).toBe("not run: it is late");
  expect(asked).toBe(0);
});

test("a completion by a directive of the same call, or of another tool, does not complete the run", async () => {
  const completion = { type: "complete", params: { summary: "Done." } };
  for (const directives of [
    [stop, completion],
    [completion, stop],
  ])
    expect(await runOnce(await openEngine([calls("directs", { directives }), "Well."]), options)).toMatchObject(halted);
  const both = [...stops, ...calls("directs", { directives: [completion] }).toolCalls];
  expect(await runOnce(await openEngine([{ toolCalls: both }, "Well."]), options)).toMatchObject(halted);
});

test("a message that is queued meanwhile does not go on, and is heard by the next run", async () => {
  const engine = await openEngine([{ toolCalls: [...stops, ...completes] }, "Good morning."]);
  const session = engine.session({ ...options, temperature: 0 });
  session.hooks.on("postToolCall", () => session.queue("And tomorrow?"), { once: true });
  expect(await session.run("Go")).toMatchObject({ ...halted, iterations: 1 });
  const next = await session.run("Hello");
  expect(next.messages.map(({ content }) => content)).toContain("And tomorrow?");
});

test("a typed answer, explicit completion and a hook that says continue do not go on either", async () => {
  const engine = await openEngine([{ toolCalls: [...stops, ...completes] }, "Well."]);
  engine.hooks.on("iterationEnd", () => ({ continue: "Go on." }));
  expect(await runOnce(engine, { ...options, explicitCompletion: true })).toMatchObject(halted);
});
