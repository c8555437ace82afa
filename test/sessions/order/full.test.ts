import { expect, test } from "vitest";
import { cancel } from "../../../src/index.js";
import { runPoints } from "../../points/definitions.js";
import { type OccasionName, occasions } from "../../support/order/occasions.js";
import { aside, call, child, concluded, end, recorded, toPlan } from "../../support/order/order-parts.js";
import { order } from "../../support/order/orders.js";
import { calls, clock, directs, fails } from "../../support/sessions.js";

test("every point is among those of its occasion", () => {
  for (const [point, { occasion }] of runPoints) expect(occasions[occasion].names, occasion).toContain(point);
});

test.each(Object.keys(occasions) as OccasionName[])("the order of a run without disturbance: %s", async (name) => {
  const { names, ending } = await order(occasions[name]);
  expect(names).toEqual(occasions[name].names);
  expect(ending).toBe(occasions[name].ending ?? "complete");
});

test("a run that passes everything: plan, critic, directives, delegation, reflection, compaction, a completion rejected once", async () => {
  const story = "It was a dark and stormy night in the north. ".repeat(40);
  const critic = JSON.stringify({ reason: "fine", decision: "ALLOW" });
  const thought = JSON.stringify({ monologue: "Fine.", decision: "PROCEED" });
  const directives = [{ type: "inject_context", params: { content: "It rains." } }, { type: "ring" }];
  const { names, ending, result } = await order(
    {
      replies: [
        {
          toolCalls: [
            ...calls("complete", { summary: "All done." }).toolCalls,
            ...calls("delegate", { tier: "coder", task: "Write it." }).toolCalls,
            ...calls("directs", { directives }).toolCalls,
            ...calls("fails").toolCalls,
          ],
        },
        calls("complete", { summary: "All done, says the log." }),
      ],
      scripts: [
        { when: "You write code.", replies: ["It is written."] },
        { when: "Is it needed?", replies: [critic] },
        { when: "Look at what", replies: [thought] },
        { when: "Summarise the conversation", replies: ["A story."] },
      ],
      engine: { contextSize: 4096 },
      session: {
        tools: [directs, clock, fails],
        controlTools: ["complete", "delegate"],
        tiers: { coder: { system: "You write code.", tools: [] } },
        history: [
          { role: "user", content: "Tell me a story." },
          { role: "assistant", content: story },
        ],
        criticPrompt: "Is it needed?",
        reflect: true,
        compactAt: 0.4,
      },
      run: { plan: { flow: "sequence", steps: [{ tool: "clock" }] } },
    },
    (engine) => [
      engine.hooks.on("customDirective", () => ({ handled: true })),
      engine.hooks.on("complete", ({ iteration }) => (iteration === 1 ? cancel("says who?") : undefined)),
    ],
  );
  const judged = ["preToolCall", "toolValidation", ...aside, "toolValidation", "permissionCheck"];
  expect(names).toEqual([
    ...toPlan,
    // The critic is asked first, with the system prompt.
    "preToolCall",
    "toolValidation",
    "bootstrap",
    ...aside,
    "toolValidation",
    "permissionCheck",
    ...recorded,
    "stateChange",
    "preCompact",
    ...aside,
    "postCompact",
    ...call,
    "stateChange",
    ...judged,
    ...judged,
    ...judged,
    ...judged,
    "postToolCall",
    "directive",
    "customDirective",
    "toolResultPersist",
    ...recorded,
    "error",
    "stateChange",
    "delegate",
    ...child,
    ...concluded,
    "stateChange",
    "complete",
    ...recorded,
    "stateChange",
    ...aside,
    "stateChange",
    "reflection",
    "iterationEnd",
    "loopIteration",
    ...call,
    "stateChange",
    ...judged,
    "stateChange",
    "complete",
    ...recorded,
    ...end,
  ]);
  expect(ending).toBe("complete");
  expect(result?.text).toBe("All done, says the log.");
});
