// Creates an engine in a child process first, when its devices may crash or hang the process that uses them.
import path from "node:path";
import { type ChildEnd, type ChildLimits, runChild } from "./child.js";
import { root } from "./packages.js";

const script = path.join(root, "dist", "native", "engine-trial-process.js");

/** The reply of the child. */
export interface EngineTrialReply {
  readonly devices?: {
    readonly name: string;
    readonly description: string;
    readonly type: string;
    readonly total_bytes: number;
    readonly free_bytes: number;
  }[];
  /** Without devices: the engine's error; null: another error. */
  readonly code?: string | null;
  readonly message?: string;
}

/** `options`: of the engine, in its form. Rejects if the child cannot be started. */
export function tryEngine(options: object, limits: ChildLimits): Promise<ChildEnd> {
  return runChild(script, [JSON.stringify(options)], "", limits);
}
