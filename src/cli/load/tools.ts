// --tools: loads tools from files.
import type { SessionTool } from "../../index.js";
import { loadModule } from "./module.js";
import { UsageError } from "../process/exit.js";

/**
 * Collects the tools that a module exports (results of `tool()`, or lists of them) in the order of the export names. An
 * export without `run` is a helper.
 */
export async function loadTools(file: string): Promise<SessionTool[]> {
  const module = await loadModule("--tools", file);
  const found = [...new Set(Object.values(module).flat(Infinity).filter(isTool))];
  if (found.length === 0) throw new UsageError(`--tools ${file}: it exports no tool (an object with name and run)`);
  return found;
}

function isTool(value: unknown): value is SessionTool {
  return typeof value === "object" && value !== null && "name" in value && "run" in value;
}
