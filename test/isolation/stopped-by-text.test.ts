// A generation whose reader wants no more, while the engine's process is at a step that takes long.
import { expect, test } from "vitest";
import { gate } from "../support/gate.js";
import { openIsolated, processOf } from "../support/isolated.js";

test("the usage of a generation that a stop text ends is whole, however long the step under way takes", async () => {
  // More than may wait here to be read, so the process is not at the end when it is stopped.
  const engine = await openIsolated([`one two STOP ${"and on ".repeat(200)}`], { stepTimeoutMs: 0 });
  const stuck = processOf(engine);
  const stopped = gate();
  engine.hooks.on("streamToken", async ({ text }) => {
    if (!text.includes("two")) return;
    await new Promise((resolve) => setTimeout(resolve, 300)); // the stop text is likely here by then
    process.kill(stuck, "SIGSTOP");
    stopped.open();
  });
  const work = engine.generate("Hi", { stop: ["STOP"], raw: true });
  await stopped.passed;
  setTimeout(() => process.kill(stuck, "SIGCONT"), 2500); // a cancelled one is left after 1.5 s
  const { finishReason, text, usage } = await work;
  expect([finishReason, text.trim()]).toEqual(["stop", "one two"]);
  expect(usage.decodeMs).toBeGreaterThan(0);
});
