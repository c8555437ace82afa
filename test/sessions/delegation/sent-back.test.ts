// A hook at delegateComplete sends the child back with feedback, within a limit.
import { expect, test } from "vitest";
import { openEngine } from "../../support/engine.js";
import { leadAndCoder, ofLead } from "../../support/lead-and-coder.js";
import { runOnce, resultTexts } from "../../support/sessions.js";

test("more retries than the limit have no effect, and onError is called", async () => {
  const engine = await openEngine(leadAndCoder(["One.", "Two.", "Three.", "Four."]));
  const errors: string[] = [];
  const depths: number[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  engine.hooks.on("loopEnd", ({ meta }) => void depths.push(meta.depth ?? -1));
  engine.hooks.on("delegateComplete", () => ({ retry: "Again." }), { name: "strict" });
  const result = await runOnce(engine, { ...ofLead, maxDelegationRetries: 2 });
  expect(resultTexts(result)).toEqual(["Three.\n[conversation coder-1]"]);
  expect(errors).toEqual([
    "RETRY_LIMIT the hook strict sent the task of coder back more than 2 times; the answer stands",
  ]);
  expect(depths).toEqual([1, 1, 1, 0]);
});

test("a failed child can be sent back as well", async () => {
  const engine = await openEngine(leadAndCoder(["One.", "Two."]));
  let halts = true;
  engine.hooks.on("postGenerate", ({ tier }) => (tier === "coder" && halts ? { halt: "no" } : undefined));
  engine.hooks.on("delegateComplete", ({ success }) => {
    halts = false;
    return success ? undefined : { retry: "Try again." };
  });
  expect(resultTexts(await runOnce(engine, ofLead))).toEqual([
    expect.stringMatching(/^(?:One|Two)\.\n\[conversation coder-1\]$/),
  ]);
});

test("a task that was refused, and a run that was cancelled, are not sent back", async () => {
  const engine = await openEngine(leadAndCoder(["One."]));
  let asked = 0;
  engine.hooks.on("delegateComplete", () => (asked++, { retry: "Again." }));
  const refused = await runOnce(engine, { ...ofLead, permissions: [{ allow: "delegate" }], maxDelegationDepth: 1 });
  expect(refused.finishReason).toBe("complete");
  const session = engine.session({ ...ofLead, temperature: 0 });
  const run = session.run("Go");
  session.hooks.on("preGenerate", ({ tier }) => void (tier === "coder" && run.cancel("enough")));
  expect(await run).toMatchObject({ finishReason: "cancelled" });
  expect(asked).toBeGreaterThan(0);
});
