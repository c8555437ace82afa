// The messages of an inspector to its page. Types only, which the code of the page imports, too. Must not: import
// types of modules that need Node.
import type { Decision, DeviceMemory, HookEndedEvent, LifecycleEvent, ModelInfo } from "../../generated/results.js";
import type { PointName } from "../../generated/points.js";
import type { HookInfo, HookStats } from "../../hooks/hook-info.js";

/** A dispatch at which no hook is registered but those of the inspector. */
export interface Passed extends Pick<Decision, "seq" | "point" | "runId" | "sessionId" | "clockUs"> {
  readonly type: "passed";
  /** The tool call that it is about. */
  readonly toolCallId?: string;
}

/** Says which tool call a dispatch is about. */
export interface CallLink {
  readonly type: "call";
  readonly seq: number;
  readonly runId: string | null;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The outcome of the call, at postToolCall: the trace has no separate event for a refused call. */
  readonly resultKind?: string;
}

/** The open questions have changed. */
export interface QuestionsChanged {
  readonly type: "questions";
}

/** Nothing more comes. */
export interface Ended {
  readonly type: "ended";
  /** "engine": the engine was closed; "inspector": only the inspector was closed, and the engine still runs. */
  readonly what: "engine" | "inspector";
  readonly timeUs: number;
}

/** An item of the history. */
export type RecordItem = Decision | LifecycleEvent | Passed | CallLink | QuestionsChanged | Ended;

/** Items that a page has not got, because newer ones have replaced them. */
export interface Lost {
  readonly type: "lost";
  readonly count: number;
}

/** The fields of an event as JSON texts. A text that is cut has its whole length beside it. */
export type Fields = Readonly<Record<string, string | { readonly text: string; readonly length: number }>>;

/** The values of one dispatch. */
export interface Values {
  readonly point: PointName;
  /** The event as the hooks left it. */
  readonly left?: Fields;
  /** The event before any hook changed it. Absent unless raw values are kept. */
  readonly before?: Fields;
}

type DeviceUse = Pick<DeviceMemory, "device" | "usedBytes" | "conversationBytes" | "freeBytes">;

/** The memory of devices at one time, in milliseconds since the Unix epoch. */
export interface Sample {
  readonly at: number;
  readonly devices: readonly DeviceUse[];
}

/** A model, without what only programs need. */
export type ModelState = Pick<
  ModelInfo,
  | "modelId"
  | "path"
  | "address"
  | "architecture"
  | "state"
  | "contextSize"
  | "parallel"
  | "gpuLayers"
  | "layers"
  | "loadMs"
  | "memory"
  | "pinned"
  | "sharesWeightsWith"
>;

/** The state of the engine. */
export interface EngineState {
  readonly devices: readonly DeviceMemory[];
  readonly models: readonly ModelState[];
  /** The hooks of the engine, of its sessions, and of runs and generations that have not ended. */
  readonly hooks: readonly (HookInfo & HookStats)[];
  /** Hooks that are not called any more, the newest last. */
  readonly ended: readonly HookEndedEvent[];
  readonly samples: readonly Sample[];
}

/** A question that waits, as `questions()` of `llama-hooks/hooks` has it. */
export interface OpenQuestion {
  readonly id: string;
  readonly kind: "permission" | "input";
  readonly toolName: string;
  readonly tier: string | null;
  readonly sessionId: string | null;
  readonly runId: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly askedAt: number;
  /** Present for a permission. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly rule?: string | null;
  readonly origin?: string | null;
  /** Present for an input. */
  readonly message?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** The answer of `/state`. */
export interface StateAnswer {
  readonly title: string;
  readonly files: readonly string[];
  /** Absent without an engine. */
  readonly state?: EngineState;
  /** The values that are kept. */
  readonly values?: "left" | "raw" | "none";
  /** Absent: no list of questions was given. */
  readonly questions?: readonly OpenQuestion[];
  readonly history?: { readonly kept: number; readonly lost: number; readonly valuesLost: number };
}
