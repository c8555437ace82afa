// The errors that the channels' messages have when an activity has failed.
import { LlamaHooksError } from "../base/errors.js";
import type { ErrorCode } from "../generated/errors.js";
import type { ResultKind } from "../generated/points.js";
import type { LifecycleEvent } from "../generated/results.js";

type Started = Extract<LifecycleEvent, { readonly event: `${string}Started` }>;
type Ended = Extract<LifecycleEvent, { readonly durationUs: number }>;

const toolCodes: Partial<Record<ResultKind, ErrorCode>> = {
  timeout: "TOOL_TIMEOUT",
  cancelled: "CANCELLED",
  delegation_failed: "DELEGATION_FAILED",
};

/** The subject of a sentence about the activity. */
export function whatFailed(event: Started): string {
  switch (event.event) {
    case "modelLoadStarted":
      return `The model ${event.modelId}`;
    case "generationStarted":
      return `The generation ${event.runId}`;
    case "runStarted":
      return `The run ${event.runId}`;
    case "modelCallStarted":
      return `A model call of the run ${event.runId}`;
    case "toolCallStarted":
      return `The tool ${event.toolName}`;
    case "planStarted":
      return `A plan of the run ${event.runId}`;
    case "embeddingStarted":
      return `An embedding with the model ${event.modelId}`;
    case "rerankStarted":
      return `A ranking with the model ${event.modelId}`;
  }
}

/** Undefined: the activity has not failed. */
export function failureOf(event: Ended, what: string): LlamaHooksError | undefined {
  switch (event.event) {
    case "modelLoaded":
    case "planEnded":
      return undefined;
    case "modelLoadFailed":
      return new LlamaHooksError(event.code, `${what} could not be loaded`);
    case "toolCallEnded":
      return event.isError
        ? new LlamaHooksError(toolCodes[event.resultKind] ?? "TOOL_FAILED", `${what} failed`)
        : undefined;
    default:
      return event.code && new LlamaHooksError(event.code, `${what} failed`);
  }
}
