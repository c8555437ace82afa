// The setup that points of sessions share: a whole session as the occasion, with a question, a tool call, an answer.
// Must not: know any point.
import { expect } from "vitest";
import type { Engine, RunResult } from "../../src/index.js";
import { openEngine } from "../support/engine.js";
import { asks, runOnce } from "../support/sessions.js";

export const open = (): Promise<Engine> => openEngine([asks("Oslo"), "It is cold in Oslo."]);
export const options = { system: "Be brief.", tier: "lead" } as const;
export const occasion = (engine: Engine): Promise<RunResult> => runOnce(engine, options, "How is Oslo?");
export const meta = { tier: "lead" };
export const inRun = { ...meta, modelId: "default", depth: 0, sessionId: expect.stringMatching(/^session-/) as string };
export const inIteration = { ...inRun, iteration: 1 };
export const args = { city: "Oslo" };

export function failedClosedRun(outcome: unknown, thrown: unknown): void {
  const { finishReason, halt, decisions } = outcome as RunResult;
  expect([finishReason, halt?.by]).toEqual(["halted", "cold"]);
  const decision = decisions.find(({ decidedBy }) => decidedBy?.name === "cold");
  expect(decision).toMatchObject({ action: "cancelled", status: "HOOK_FAILED" });
  expect(decision?.hooks[0]?.error?.cause).toBe(thrown);
}

/**
 * A call that a hook which failed closed has refused, as `resultKind` says; `prefix` is what the model receives, up to what the
 * hook's failure is at the point of that name.
 */
export function refusedClosed(
  resultKind: string,
  prefix: string,
  point: string,
): (outcome: unknown, thrown: unknown) => void {
  return (outcome, thrown) => {
    const { toolCalls, decisions } = outcome as RunResult;
    const result = `${prefix}hook "cold" at ${point} failed (HOOK_FAILED): Error: no answer`;
    expect(toolCalls).toMatchObject([{ resultKind, decidedBy: "cold", result }]);
    expect(decisions).toMatchObject([{ action: "cancelled", status: "HOOK_FAILED", decidedBy: { name: "cold" } }]);
    expect(decisions[0]?.hooks[0]?.error?.cause).toBe(thrown);
  };
}
