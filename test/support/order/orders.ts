// The points that fire in a run, in order, from the trace: it also shows points that fire while a run is being
// abandoned, when JavaScript handlers no longer run. Must not: compute the expected order.
import { expect } from "vitest";
import {
  type Decision,
  type Engine,
  type EngineOptions,
  type HookEventOf,
  type HookRegistration,
  LlamaHooksError,
  type Message,
  type PointName,
  type RunOptions,
  type RunResult,
  type Session,
  type SessionOptions,
} from "../../../src/index.js";
import { recordHooks, type ScriptModelOptions, type ScriptReply } from "../../../src/testing/index.js";
import { openEngine } from "../engine.js";
import { expectWhole } from "../sessions.js";

/** The cause of points firing: a model, a session and a run. */
export interface Occasion {
  readonly replies?: readonly ScriptReply[];
  readonly scripts?: ScriptModelOptions["scripts"];
  readonly engine?: EngineOptions | (() => Promise<EngineOptions>);
  readonly session: SessionOptions;
  readonly run?: RunOptions;
  /** Hooks that belong to the occasion. */
  readonly hooks?: (engine: Engine) => readonly HookRegistration[];
  /** True: promptProgress is kept at its first event. Otherwise it is left out, because it depends on timing. */
  readonly progress?: boolean;
}

/** The result of an occasion. */
export interface Ordered {
  /** The points of the run; adjacent repetitions count once. */
  readonly names: readonly PointName[];
  /** The same with depth and tier: "loopStart 1 coder". */
  readonly whose: readonly string[];
  /** The end of the run: "complete", "halted brake", "cancelled signal", or the code of its error. */
  readonly ending: string;
  readonly result: RunResult | undefined;
  readonly history: readonly Message[];
}

/** Adds hooks that disturb a run, which `stop` aborts. They are removed at its end. */
export type Disturb = (engine: Engine, stop: AbortController) => readonly HookRegistration[];

/** Adds a handler at a point that is known only at run time. */
export function hookAt(
  engine: Engine,
  point: PointName,
  handler: (event: HookEventOf<PointName>) => unknown,
  options: object = {},
): HookRegistration {
  return engine.hooks.on(point, handler as never, options);
}

/** The answer of a hook that waits until its call has ended. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

/**
 * Runs the occasion, and expects that it leaves everything consistent: loops have ended, calls have results, the
 * session can continue.
 */
export async function order(occasion: Occasion, disturb: Disturb = () => []): Promise<Ordered> {
  const { replies = [], scripts = [], session: options, run, hooks, progress = false } = occasion;
  const engineOptions = typeof occasion.engine === "function" ? await occasion.engine() : occasion.engine;
  const engine = await openEngine({ replies, scripts, afterLast: "repeat" }, engineOptions);
  const decisions: Decision[] = [];
  const traced = (async () => {
    for await (const event of engine.trace()) if (event.type === "decision") decisions.push(event);
  })();
  const recording = recordHooks(engine);
  const stop = new AbortController();
  const added = [...(hooks?.(engine) ?? []), ...disturb(engine, stop)];
  const session = engine.session({ temperature: 0, ...options });
  const ended = await session.run("Hello", { ...run, signal: stop.signal }).then(
    (result) => ({ result, ending: endingOf(result) }),
    (error: unknown) => ({ result: undefined, ending: error instanceof LlamaHooksError ? error.code : String(error) }),
  );
  for (const hook of [recording, ...added]) hook.dispose();
  const history = session.history();
  if (ended.result !== undefined) expectWhole(ended.result.messages);
  await expectContinues(session);
  await engine.close();
  await traced;

  const fired = decisions.filter(
    ({ point }, index) =>
      point !== "promptProgress" || (progress && decisions.findIndex((one) => one.point === point) === index),
  );
  expectLoopsEnd(fired);
  const metas = recording.events.map(({ event }) => event.meta);
  const whose = fired.map(({ point, seq, runId }) => {
    const meta = metas.find((one) => one.seq === seq) ?? metas.find((one) => one.runId === runId);
    return [point, meta?.depth ?? "-", meta?.tier ?? "-"].join(" ");
  });
  return { names: collapsed(fired.map(({ point }) => point)), whose: collapsed(whose), history, ...ended };
}

function endingOf({ finishReason, halt, cancel, limit }: RunResult): string {
  const by = halt?.by ?? cancel?.by ?? limit;
  return by === undefined || by === null ? finishReason : `${finishReason} ${by}`;
}

function collapsed<T>(list: readonly T[]): T[] {
  return list.filter((one, index) => one !== list[index - 1]);
}

async function expectContinues(session: Session): Promise<void> {
  expectWhole(session.history({ compacted: false }));
  const { finishReason, limit, text } = await session.run("Once more", { toolChoice: "none" });
  expect(limit ?? finishReason).toMatch(/^(complete|maxTokens)$/);
  expect(text).not.toBe("");
  expectWhole(session.history({ compacted: false }));
}

/** Expects that every begun loop has ended, once. */
function expectLoopsEnd(fired: readonly Decision[]): void {
  const runsAt = (point: PointName) => fired.filter((one) => one.point === point).map(({ runId }) => runId);
  const begun = runsAt("loopStart");
  expect(runsAt("loopEnd").sort()).toEqual([...begun].sort());
  expect(new Set(begun).size).toBe(begun.length);
}
