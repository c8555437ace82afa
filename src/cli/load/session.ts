// --session: loads session options from a file. engine.session() checks them.
import type { SessionOptions } from "../../index.js";
import { loadModule } from "./module.js";
import { UsageError } from "../process/exit.js";

/** Returns the default export of a module. */
export async function loadSession(file: string): Promise<SessionOptions> {
  const { default: options } = await loadModule("--session", file);
  // An array or a promise has no options, and would be accepted silently.
  if (Object.prototype.toString.call(options) !== "[object Object]") {
    throw new UsageError(`--session ${file}: its default export must be an object of session options`);
  }
  const { model, tools } = options as SessionOptions;
  if (model !== undefined) throw new UsageError(`--session ${file}: it must not name a model: use --model`);
  if (tools !== undefined && !Array.isArray(tools)) {
    throw new UsageError(`--session ${file}: tools must be an array of tools`);
  }
  return options as SessionOptions;
}
