// Reads the files that the options of an agent name: hooks, tools, session options.
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
  /** Undefined if no option was given; the model then decides. */
  readonly tools: readonly SessionTool[] | undefined;
}

/**
 * Errors: UsageError and FileError name the file. An interrupt ends the process while the files are read, because
 * nothing has begun yet that needs an orderly end.
 */
export async function readAgentFiles({
  hooks,
  native,
  session,
  system,
  tools,
  mcp,
}: Pick<AgentOptions, "hooks" | "native" | "session" | "system" | "tools" | "mcp">): Promise<AgentFiles> {
  if (tools === false && mcp.length > 0) throw new UsageError("--no-tools and --mcp contradict each other");
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
