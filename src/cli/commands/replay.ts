// `llama-hooks replay`: runs a recording again, and shows where hooks now decide differently. Needs neither the model
// nor the tools.
import { plural } from "../../base/plural.js";
import { LlamaHooksError } from "../../base/errors.js";
import { textOfPipe } from "../../base/files/text-of-pipe.js";
import { messageOf } from "../../base/thrown.js";
import { readRecording, type Recording } from "../../index.js";
import { type Replay, type ReplayDifference, replayRun } from "../../testing/index.js";
import { exitCodes } from "../process/exit.js";
import { fold } from "../process/fold.js";
import { interruptible } from "../process/interrupt.js";
import { jsonLine } from "../process/json-line.js";
import { loadHooks, nativeHook } from "../load/hooks.js";
import { Terminal } from "../process/terminal.js";

/** Bounds for a recording that another program writes into a pipe. */
const ofPipes = { mostBytes: 256 * 1024 * 1024, mostMs: 60_000 };

export interface ReplayOptions {
  readonly hooks: readonly string[];
  readonly native: readonly string[];
  readonly json?: boolean;
}

/** Returns the exit code: 0 if everything came out as recorded, else 1. */
export async function replay(file: string, { hooks, native, json }: ReplayOptions): Promise<number> {
  const adders = [...(await Promise.all(hooks.map(loadHooks))).flat(), ...native.map(nativeHook)];
  const terminal = new Terminal();
  return await interruptible(async (signal) => {
    try {
      const setup = async (engine: Parameters<(typeof adders)[number]>[0]): Promise<void> => {
        for (const add of adders) await add(engine);
      };
      const came = await replayRun((await readPipe(file, signal)) ?? (await readRecording(file)), { setup, signal });
      terminal.result(json === true ? jsonOf(came) : textOf(came, process.stdout.isTTY ? terminal.columns : Infinity));
      return came.same ? exitCodes.ok : exitCodes.failed;
    } catch (error) {
      if (!signal.aborted) throw error;
      return exitCodes.interrupted;
    }
  });
}

/** Undefined: the file is not a pipe. */
async function readPipe(file: string, signal: AbortSignal): Promise<Recording | undefined> {
  try {
    const text = await textOfPipe(file, { ...ofPipes, signal });
    return text === undefined ? undefined : (JSON.parse(text) as Recording); // replayRun() checks it
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new LlamaHooksError("RECORDING_INVALID", `${file} is no recording: ${messageOf(cause)}`, { cause });
  }
}

function jsonOf({ same, differences, runs, missing }: Replay): string {
  const lines = differences.map((difference) => jsonLine({ type: "difference", ...difference }));
  return [...lines, jsonLine({ type: "end", same, runs: runs.length, differences: differences.length, missing })].join(
    "",
  );
}

function textOf({ same, differences, runs }: Replay, width: number): string {
  const blocks = differences.map((difference) => blockOf(difference, width));
  const count = plural(runs.length, "run");
  const summary = same ? `${count}, as recorded` : `${count}, ${plural(differences.length, "difference")}`;
  return [...blocks, summary, ""].join("\n");
}

function blockOf({ run, what, recorded, replayed, by }: ReplayDifference, width: number): string {
  const side = (name: string, value: unknown): string => {
    const label = `  ${name.padEnd(9)} `;
    const lines = fold(inWords(value), width - label.length);
    return label + lines.join(`\n${" ".repeat(label.length)}`);
  };
  const who = by === null ? "" : ` (${by})`;
  return [`run ${run}, ${what}${who}`, side("recorded", recorded), side("now", replayed), ""].join("\n");
}

/**
 * Describes a tool call, a message or an end of a run in one line or a few. Parts that are equal on both sides are
 * shown on both.
 */
function inWords(value: unknown): string {
  if (value === null) return "nothing";
  if (typeof value !== "object") return JSON.stringify(value);
  const all = value as Readonly<Record<string, unknown>>;
  if ("resultKind" in all)
    return `${String(all["name"])}(${JSON.stringify(all["args"])}) ${String(all["resultKind"])}: ${String(all["result"])}`;
  return JSON.stringify(value);
}
