// Shows the engine of a command in a page, and lets a person answer there.
import type { Engine } from "../../index.js";
import type { Inspector } from "../../inspector/index.js";
import { asksForPage, type InspectOptions } from "../options/inspect-options.js";
import { addOwnHook } from "../view/own-hooks.js";
import { sanitizeName } from "../process/sanitize.js";

/**
 * Opens the page if an option asks for it, and writes its address to stderr. Calls for which the rules of a session say
 * `ask` then wait for an answer on the page; `tell` is told of each question.
 */
export async function openInspection(
  engine: Engine,
  options: InspectOptions,
  tell: (text: string) => void,
): Promise<Inspector | undefined> {
  if (!asksForPage(options)) return undefined;
  const [{ inspect, inspectorHookName }, { questions }] = await Promise.all([
    import("../../inspector/index.js"),
    import("../../ready-hooks/index.js"),
  ]);
  addOwnHook(inspectorHookName);
  const list = questions();
  engine.hooks.use(list.hooks);
  list.on((event) => {
    if (event.type === "asked") tell(`${sanitizeName(event.question.toolName)} waits for an answer in the inspector`);
  });
  const inspector = await inspect(engine, {
    port: options.inspectPort ?? 0,
    values: options.inspectRaw === true ? "raw" : "left",
    questions: list,
  });
  process.stderr.write(`inspector: ${inspector.url}\n`);
  return inspector;
}
