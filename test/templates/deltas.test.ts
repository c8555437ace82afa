// A call is reported, for every chat template of llama.cpp, while the model writes it, and the deltas are the call.
import { expect, test } from "vitest";
import type { GenerateEvent } from "../../src/index.js";
import { withoutCalls } from "../support/templates/known-templates.js";
import { nativeReply, past, type Variant, variantNames, weather } from "../support/templates/native-replies.js";
import { engineWith } from "../support/templates/template-engine.js";
import { chosenTemplates } from "../support/templates/template-files.js";

type Delta = Extract<GenerateEvent, { type: "toolCallDelta" }>;

/** The calls in the events, and what is wrong with the events. */
function callsIn(events: readonly GenerateEvent[]) {
  const faults: string[] = [];
  const calls: { id: string; name: string; text: string }[] = [];
  const begin = events.findIndex(({ type }) => type === "toolCallDelta");
  for (const { index, id, name, argsText } of events.filter(
    (event): event is Delta => event.type === "toolCallDelta",
  )) {
    if (index === calls.length) {
      if (argsText !== "") faults.push(`the first event of call ${index} has arguments`);
      calls.push({ id, name, text: "" });
    }
    const call = calls[index];
    if (call === undefined || call.id !== id || call.name !== name) faults.push(`call ${index} changes its name or id`);
    else call.text += argsText;
  }
  const isLive = events.slice(begin).some((event) => event.type === "token" && event.kind === "tool_call");
  if (calls.length > 0 && !isLive) faults.push("the call was complete when it was reported");
  if (events.some(({ type }) => type === "replaced")) faults.push("replaced");
  return { faults, calls };
}

const withCalls = chosenTemplates.filter((name) => !(name in withoutCalls));

test.each(withCalls)("%s: the pieces of a call are its arguments", async (name) => {
  const { engine, load } = await engineWith(name);
  const found: Partial<Record<Variant, unknown>> = {};
  for (const variant of variantNames) {
    const reply = await nativeReply(engine, "plain", name, variant);
    if (reply === undefined) continue;
    await load(variant, ["Hello.", reply]);
    const events: GenerateEvent[] = [];
    const generation = engine.generate(past, { model: variant, tools: [weather], maxTokens: 400, temperature: 0 });
    try {
      for await (const event of generation) events.push(event);
    } catch {
      continue; // test/templates/matrix.test.ts has these
    }
    const { toolCalls, finishReason } = await generation;
    if (toolCalls.length === 0 || finishReason !== "stop") continue; // as there
    const { faults, calls } = callsIn(events);
    const parsed = calls.map(({ text, ...call }) => ({ ...call, args: JSON.parse(text) as unknown }));
    if (JSON.stringify(parsed) !== JSON.stringify(toolCalls)) faults.push(JSON.stringify({ calls, toolCalls }));
    if (faults.length > 0) found[variant] = faults;
    await engine.models.unload(variant);
  }
  expect(found).toEqual({});
});
