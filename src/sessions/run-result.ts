// Converts the results and events of a run to the public types.
import type { Causes } from "../base/causes.js";
import { stopper } from "../base/stopper.js";
import { camelDeep, camelTop, toCamel } from "../base/wire.js";
import { eventFromWire, logprobsFromWire } from "../generate/generate-result.js";
import { messagesFromWire } from "../generate/messages.js";
import type { Usage } from "../generated/points.js";
import type {
  CompactionResult,
  RunEndEvent,
  RunEvent,
  RunResult,
  RunStep,
  Stopper,
  WaitingCall,
} from "../generated/results.js";
import { decisionsFromWire } from "../native/decisions.js";
import { toolRecordFromWire, toolRecordsFromWire } from "../native/tool-records.js";

const eventTypes: Readonly<Record<string, string>> = { tool_call: "toolCall", tool_result: "toolResult" };

type StreamedEvent = Exclude<RunEvent, RunEndEvent>;

export function runEventFromWire(wire: Record<string, unknown>, causes: Causes): StreamedEvent {
  const { run_id: runId, ...event } = wire;
  switch (event["type"]) {
    case "tool_call":
    case "tool_result": {
      const record = event["record"];
      const own = {
        type: eventTypes[event["type"]],
        runId,
        ...(record !== undefined && { record: toolRecordFromWire(record, causes) }),
      };
      return { ...event, ...own } as unknown as StreamedEvent;
    }
    case "compaction":
      return { ...camelTop(event), runId } as unknown as StreamedEvent;
    default:
      return { ...eventFromWire(event), runId } as unknown as StreamedEvent;
  }
}

export function runResultFromWire(json: string, causes: Causes, signal: AbortSignal | undefined): RunResult {
  const wire = JSON.parse(json) as Record<string, unknown>;
  const cancel = wire["cancel"] as Stopper | null;
  const halt = wire["halt"] as Stopper | null;
  const limit = wire["limit"] as string | null;
  return {
    runId: wire["run_id"] as string,
    sessionId: wire["session_id"] as string,
    modelId: wire["model_id"] as string,
    text: wire["text"] as string,
    reasoning: wire["reasoning"] as string,
    finishReason: wire["finish_reason"] as RunResult["finishReason"],
    ...(cancel ? { cancel: stopper(cancel, signal) } : {}),
    ...(halt ? { halt } : {}),
    limit: limit === null ? null : (toCamel(limit) as RunResult["limit"]),
    messages: messagesFromWire(wire["messages"]),
    toolCalls: toolRecordsFromWire(wire["tool_calls"], causes),
    childToolCalls: toolRecordsFromWire(wire["child_tool_calls"], causes),
    ...(wire["waiting"] === undefined ? {} : { waiting: waitingFromWire(wire["waiting"]) }),
    usage: camelDeep(wire["usage"]) as Usage,
    ...logprobsFromWire(wire),
    ...(wire["answered"] === undefined ? {} : { answered: wire["answered"] as boolean }),
    steps: camelDeep(wire["steps"]) as readonly RunStep[],
    iterations: wire["iterations"] as number,
    decisions: decisionsFromWire(wire["decisions"], causes),
  };
}

export function waitingFromWire(wire: unknown): readonly WaitingCall[] {
  return (wire as Record<string, unknown>[]).map((call) => camelTop(call) as unknown as WaitingCall);
}

export function compactionResultFromWire(json: string, causes: Causes): CompactionResult {
  const wire = JSON.parse(json) as Record<string, unknown>;
  return {
    ...(camelTop(wire) as unknown as CompactionResult),
    decisions: decisionsFromWire(wire["decisions"], causes),
  };
}
