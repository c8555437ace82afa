import { expect, test } from "vitest";
import { cancel, type Engine, type PrePoint, type SessionOptions } from "../../../src/index.js";
import { recordHooks } from "../../../src/testing/index.js";
import { openEngine, rejection } from "../../support/engine.js";
import { asked, decided, first, leave, on, recorded } from "../../support/order/order-parts.js";
import { asks, tools } from "../../support/sessions.js";

const open = (): Promise<Engine> => openEngine([asks("Oslo", "Rome"), "It is cold."]);

/** The points that fired in a run of a new session until it was closed, without tokens and progress. */
async function fired(engine: Engine, act: (run: PromiseLike<unknown>, stop: AbortController) => Promise<unknown>) {
  const recording = recordHooks(engine);
  const session = engine.session({ tools, temperature: 0 } satisfies SessionOptions);
  const stop = new AbortController();
  await act(session.run("Hello", { signal: stop.signal }), stop);
  await session.close();
  const names = recording.names().filter((name) => name !== "streamToken" && name !== "promptProgress");
  expect(names.filter((name) => name === "loopEnd").length).toBe(names.includes("loopStart") ? 1 : 0);
  return names;
}

/** Parts of the order in the trace, without tokens, and with the end of the session. */
const call = [...asked, "postGenerate"] as const;
const end = [...leave, "sessionEnd"] as const;
const batch = [...decided, ...decided, ...recorded, ...recorded] as const;
const answer = ["loopIteration", ...call, "iterationEnd", ...end] as const;

test("a run of two iterations fires its points in this order", async () => {
  expect(await fired(await open(), async (run) => run)).toEqual([
    ...first,
    ...call,
    "stateChange",
    ...batch,
    ...on,
    ...answer,
  ]);
});

test.each([
  ["userMessage", ["sessionStart", "userMessage", "sessionEnd"]],
  ["preGenerate", [...first, ...asked, "iterationEnd", ...end]],
  [
    "preToolCall",
    [...first, ...call, "stateChange", "preToolCall", "preToolCall", ...recorded, ...recorded, ...on, ...answer],
  ],
  ["iterationEnd", [...first, ...call, "stateChange", ...batch, ...on, ...end]],
] as const)("a run that a hook stops at %s", async (point, expected) => {
  const engine = await open();
  engine.hooks.on(point as PrePoint, () => cancel("no"));
  expect(await fired(engine, async (run) => run)).toEqual(expected);
});

test("a run that is halted after the model has spoken: its tools are refused, and their results pass the hooks", async () => {
  const engine = await open();
  engine.hooks.on("postGenerate", () => ({ halt: "no tools" }));
  expect(await fired(engine, async (run) => run)).toEqual([
    ...first,
    ...call,
    ...recorded,
    ...recorded,
    "iterationEnd",
    ...end,
  ]);
});

test("a run that fails", async () => {
  const engine = await openEngine(["Hello."], { contextSize: 256 });
  engine.hooks.on("userMessage", () => ({ content: "long ".repeat(100) }));
  expect(await fired(engine, (run) => rejection(run))).toEqual([...first, ...call, "error", "iterationEnd", ...end]);
});

test.each([
  "loopStart",
  "loopIteration",
  "bootstrap",
  "contextAssemble",
  "contextBudget",
  "preGenerate",
  "postGenerate",
] as const)("a run that is aborted at %s ends as cancelled, each point once", async (point) => {
  const engine = await open();
  const stop = new AbortController();
  engine.hooks.on(point, () => stop.abort(new Error("enough")));
  const recording = recordHooks(engine);
  const session = engine.session({ tools, temperature: 0 });
  const result = await session.run("Hello", { signal: stop.signal });
  expect(result).toMatchObject({ finishReason: "cancelled", cancel: { by: "signal", reason: "enough" } });
  for (const { toolCalls = [] } of result.messages)
    for (const { id } of toolCalls)
      expect(result.messages.filter(({ toolCallId }) => toolCallId === id).length).toBe(1);
  const names = recording.names();
  for (const name of ["loopStart", "loopEnd", "userMessage"] as const)
    expect(names.filter((one) => one === name).length).toBe(1);
  expect(session.history()).toEqual(result.messages);
});
