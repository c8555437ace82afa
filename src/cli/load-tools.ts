// --tools: tools from files. Must not: run them.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { SessionTool } from "../index.js";
import { UsageError } from "./usage-error.js";

/** The tools among a module's exports (what `tool()` gives, or lists of it), in the order of their names. */
export async function loadTools(file: string): Promise<SessionTool[]> {
  const at = path.resolve(file);
  if (!existsSync(at)) throw new UsageError(`--tools ${file}: no such file`);
  const module = (await import(pathToFileURL(at).href)) as Record<string, unknown>;
  const found = [...new Set(Object.values(module).flat().filter(isTool))];
  if (found.length === 0) throw new UsageError(`--tools ${file}: it exports no tool (an object with name and run)`);
  return found;
}

function isTool(value: unknown): value is SessionTool {
  return typeof value === "object" && value !== null && "name" in value && "run" in value;
}
