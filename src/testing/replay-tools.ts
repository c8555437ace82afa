// Canned tools: each gives the recorded result for the same arguments.
import type { SessionTool } from "../index.js";
import type { RecordedResult, RecordedTool, Recording } from "../recording/recording.js";
import { canonical } from "../base/canonical.js";

/** The error of a call that has no recorded result. */
const unknown = "the recording has no result of this call";

export interface CannedTools {
  /** The tools with these declarations. */
  readonly toolsFor: (declared: readonly RecordedTool[]) => readonly SessionTool[];
  /**
   * The message for the model where a tool failed, by the error that it causes here, for example for a recorded
   * timeout.
   */
  readonly failures: ReadonlyMap<string, string>;
  /** Calls without a recorded result, so far. */
  readonly missing: readonly { readonly tool: string; readonly args: unknown }[];
}

/** Equal calls get their results in the recorded order. */
export function cannedTools({ results }: Pick<Recording, "results">): CannedTools {
  const queues = new Map<string, RecordedResult[]>();
  for (const result of results) {
    const key = keyOf(result.tool, result.args);
    queues.set(key, [...(queues.get(key) ?? []), result]);
  }
  const failures = new Map<string, string>();
  const missing: { tool: string; args: unknown }[] = [];
  const takeOf = (tool: string, args: unknown): RecordedResult | undefined => queues.get(keyOf(tool, args))?.shift();
  const toolOf = (declared: RecordedTool): SessionTool => ({
    ...declared,
    // The tool's own rules refused these arguments; the JSON Schema does not contain them.
    validate: (args) => {
      const [next] = queues.get(keyOf(declared.name, args)) ?? [];
      if (next?.resultKind !== "rejected_schema") return { value: args };
      takeOf(declared.name, args);
      return { wrong: next.result.replace(/^invalid arguments: /, "") };
    },
    run: (args: unknown, { directive }) => {
      const recorded = takeOf(declared.name, args);
      if (recorded === undefined) {
        missing.push({ tool: declared.name, args });
        throw new Error(unknown);
      }
      for (const { type, params } of recorded.directives) directive(type, params);
      const { parts } = recorded;
      if (parts !== undefined && recorded.resultKind === "error")
        return { text: recorded.result.replace(/^error: /, ""), isError: true, parts };
      if (!recorded.resultKind.startsWith("ok")) {
        const message = recorded.result.replace(/^error: /, "");
        failures.set(`error: ${message}`, recorded.result);
        throw new Error(message);
      }
      return parts === undefined ? recorded.result : { text: recorded.result, parts };
    },
  });
  return { toolsFor: (declared) => declared.map(toolOf), failures, missing };
}

function keyOf(tool: string, args: unknown): string {
  return canonical([tool, args]);
}
