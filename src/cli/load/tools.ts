// --tools: tools from files. Must not: run them.
import type { SessionTool } from "../../index.js";
import { loadModule } from "./module.js";
import { UsageError } from "../process/exit.js";

/** The tools among a module's exports (what `tool()` gives, or lists of it), in the order of their names. What has no `run` is a helper. */
export async function loadTools(file: string): Promise<SessionTool[]> {
  const module = await loadModule("--tools", file);
  const found = [...new Set(Object.values(module).flat(Infinity).filter(isTool))];
  if (found.length === 0) throw new UsageError(`--tools ${file}: it exports no tool (an object with name and run)`);
  return found;
}

function isTool(value: unknown): value is SessionTool {
  return typeof value === "object" && value !== null && "name" in value && "run" in value;
}
