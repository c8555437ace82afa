// The public names of the package. Must not: define any.
export { cancel, type Cancel } from "./cancel.js";
export { createEngine, defaultModelId, type EngineOptions } from "./create-engine.js";
export type { Decision, HookFailure, HookRecord } from "./decision.js";
export { defineHooks, type HookHandlers, type HookSet, type HookSetOptions } from "./define-hooks.js";
export type { DeviceMemory, Engine, SystemInfo } from "./engine.js";
export { type ErrorCode, errorCodes, LlamaHooksError, type LlamaHooksErrorOptions } from "./errors.js";
export type { GenerateOptions } from "./generate-request.js";
export type {
  EndEvent,
  GenerateEvent,
  GenerateResult,
  PromptProgressEvent,
  ReplacedEvent,
  Stopper,
  TokenEvent,
} from "./generate-result.js";
export * from "./generated/points.js";
export type { Generation } from "./generation.js";
export type { HookInfo, HookStats } from "./hook-list.js";
export type {
  GuardHandler,
  GuardOptions,
  Handler,
  HookAnswerOf,
  HookEventOf,
  HookOptions,
  Matcher,
  NativeHookOptions,
  Observer,
  OnOptions,
  PostHandler,
  PreHandler,
} from "./hook-types.js";
export type { Hooks } from "./hooks.js";
export type { JsonSchema, StandardSchema } from "./json-schema.js";
export type { Gpu } from "./libraries.js";
export { bundledModel } from "./model-files.js";
export type { LoadControl, LoadOptions, ModelOptions, OnProgress } from "./model-options.js";
export type { ModelInfo, Models, PromptRequest } from "./models.js";
export { pointNames } from "./points.js";
export type { HookRegistration, Registration } from "./registration.js";
export type { LogitBias, SamplingOptions } from "./sampling.js";
export { tool, type Tool, type ToolContext, type ToolDefinition, type ToolSpec } from "./tool.js";
export type { LifecycleEvent, TraceEvent } from "./trace.js";
