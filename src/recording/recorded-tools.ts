// The tools of a session, as a recording keeps them.
import type { CheckedTool } from "../sessions/session-options.js";
import type { RecordedTool } from "./recording.js";

/** The recorded tools, without those that the session does not offer to the model. */
export function recordedTools(tools: readonly CheckedTool[]): RecordedTool[] {
  const offered = tools.filter(({ fault }) => fault === null);
  return offered.map(({ name, description, parameters, settings: { trusted, exclusive, annotations, origin } }) => ({
    name,
    description,
    parameters,
    ...(trusted !== undefined && { trusted }),
    ...(exclusive !== undefined && { exclusive }),
    ...(annotations !== undefined && { annotations }),
    ...(origin !== undefined && { origin }),
  }));
}
