// Recorded runs, and the expected results of their replays.
import path from "node:path";
import { expect } from "vitest";
import {
  type HookSet,
  readRecording,
  type Recording,
  type RunOptions,
  recordRun,
  type SessionOptions,
} from "../../src/index.js";
import { type Replay, replayRun, type ReplayOptions } from "../../src/testing/index.js";
import { openEngine, type Script, tempDir } from "./engine.js";
import { bare, expectWhole, tools } from "./sessions.js";

export interface Recorded {
  readonly file: string;
  readonly recording: Recording;
  /** The history of the recorded session. */
  readonly history: string;
  replay(options?: ReplayOptions): Promise<Replay>;
}

export interface Scene {
  readonly script: Script;
  readonly options?: SessionOptions;
  readonly hooks?: HookSet[];
  readonly inputs?: readonly (string | readonly [string, RunOptions])[];
  readonly raw?: boolean;
  readonly model?: string;
}

/** Runs a scene and records it. Afterwards its engine is closed. */
export async function record({
  script,
  options,
  hooks = [],
  inputs = ["Hello"],
  raw,
  model,
}: Scene): Promise<Recorded> {
  const engine = await openEngine(script, { parallel: 4, ...(model !== undefined && { model }) });
  engine.hooks.use(hooks);
  const session = engine.session({ tools, temperature: 0, ...options });
  const recording = recordRun(session, { ...(raw !== undefined && { raw }) });
  for (const input of inputs) {
    const [text, given] = typeof input === "string" ? [input, {}] : input;
    await session.run(text, given).catch(() => undefined);
  }
  const file = path.join(await tempDir(), "run.json");
  await recording.save(file);
  const history = JSON.stringify(bare(session.history()));
  await engine.close();
  return { file, recording: await readRecording(file), history, replay: (given) => replayRun(file, given) };
}

/** Expects that the replay is byte-identical and that nothing is missing. */
export async function expectSame(recorded: Recorded, hooks: HookSet[] = []): Promise<Replay> {
  const replay = await recorded.replay({ hooks });
  expect(replay.differences).toEqual([]);
  expect([replay.same, replay.missing]).toEqual([true, []]);
  expect(JSON.stringify(replay.history)).toBe(recorded.history);
  expectWhole(replay.history);
  return replay;
}
