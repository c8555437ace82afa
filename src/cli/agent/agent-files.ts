// What the files have that options of an agent name. Must not: add it to an engine.
import type { SessionOptions, SessionTool } from "../../index.js";
import { type AgentOptions, demoWord } from "../options/agent-options.js";
import { demoTools } from "./demo-tools.js";
import { type AddHooks, loadHooks, nativeHook } from "../load/hooks.js";
import { loadSession } from "../load/session.js";
import { loadTools } from "../load/tools.js";
import { UsageError } from "../process/exit.js";

export interface AgentFiles {
  readonly hooks: readonly AddHooks[];
  readonly session: SessionOptions;
  /** Undefined: nobody has said, and the model decides. */
  readonly tools: readonly SessionTool[] | undefined;
}

/**
 * Errors: UsageError and FileError name the file. Nothing heeds an interrupt meanwhile: it may end the process, as nothing has
 * begun that has to be ended in order.
 */
export async function readAgentFiles({ hooks, native, session, system, tools }: AgentOptions): Promise<AgentFiles> {
  const options = session === undefined ? {} : await loadSession(session);
  if (system !== undefined && options.tier !== undefined && options.tiers?.[options.tier]?.system !== undefined)
    throw new UsageError(
      `--system: the session of ${session} begins as ${options.tier}, which has a system prompt of its own`,
    );
  return {
    session: options,
    tools: tools === false ? [] : tools && (await Promise.all(tools.map(toolsOf))).flat(),
    hooks: [...(await Promise.all(hooks.map(loadHooks))).flat(), ...native.map(nativeHook)],
  };
}

async function toolsOf(file: string): Promise<readonly SessionTool[]> {
  return file === demoWord ? demoTools : loadTools(file);
}
