// Shows the engine of a command in a page, and lets a person answer there.
import type { Engine } from "../../index.js";
import type { Inspector } from "../../inspector/index.js";
import type { Questions } from "../../ready-hooks/index.js";
import { asksForPage, type InspectOptions } from "../options/inspect-options.js";
import { addOwnHook } from "../view/own-hooks.js";
import { sanitizeName } from "../process/sanitize.js";

/** Maximum number of open questions, of all sessions. */
const mostQuestions = 10_000;

/** The page of an engine, and the questions that it answers; none where no sessions run. */
export interface Inspection {
  readonly inspector: Inspector;
  readonly questions?: Questions;
}

/**
 * Opens the page if an option asks for it, and writes its address to stderr. With `tell`, calls for which the rules of
 * a session say `ask` then wait for an answer on the page, and `tell` is called with a line about each question.
 */
export async function openInspection(
  engine: Engine,
  options: InspectOptions,
  report: ((text: string) => void) | undefined,
): Promise<Inspection | undefined> {
  if (!asksForPage(options)) return undefined;
  const [{ inspect, inspectorHookName }, { questions }] = await Promise.all([
    import("../../inspector/index.js"),
    import("../../ready-hooks/index.js"),
  ]);
  addOwnHook(inspectorHookName);
  const list = report && questions({ limit: mostQuestions });
  if (list !== undefined) engine.hooks.use(list.hooks);
  list?.on((event) => {
    if (event.type === "asked")
      report?.(`${sanitizeName(event.question.toolName)} waits for an answer in the inspector`);
  });
  const inspector = await inspect(engine, {
    port: options.inspectPort ?? 0,
    values: options.inspectRaw === true ? "raw" : "left",
    ...(list !== undefined && { questions: list }),
  });
  process.stderr.write(`inspector: ${inspector.url}\n`);
  return { inspector, ...(list !== undefined && { questions: list }) };
}
