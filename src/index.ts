// The public names of the package.
/// <reference lib="esnext.disposable" preserve="true" />
export { cancel, type Cancel } from "./hooks/cancel.js";
export { createEngine, defaultModelId, type EngineOptions } from "./create-engine.js";
export { type Decided, decideMessages, decideToolCall, decideToolResult, notify } from "./hooks/decide.js";
export {
  defineHooks,
  type DefineHooksOptions,
  type HookHandlers,
  type HookObservers,
  type HookSet,
  type HookSetOptions,
  type HookSets,
} from "./hooks/define-hooks.js";
export {
  cachedModels,
  type CacheOptions,
  downloadModel,
  type DownloadOptions,
  type DownloadProgress,
  type OnDownload,
  removeCachedModel,
} from "./download/download.js";
export type { CachedFile, CachedModel } from "./download/cache-folder.js";
export type { FileProgress } from "./download/fetch-file.js";
export type { Engine, SessionOf } from "./engine.js";
export { type ErrorCode, errorCodes } from "./generated/errors.js";
export type { OptionError } from "./base/check.js";
export { LlamaHooksError, type LlamaHooksErrorOptions } from "./base/errors.js";
export type { GenerateOptions, InfillOptions } from "./generate/generate-request.js";
export * from "./generated/points.js";
export type {
  AdapterParameters,
  CompactParameters,
  DetokenizeOptions,
  ElicitParameters,
  EmbedParameters,
  EngineParameters,
  HistoryParameters,
  OwnModelParameters,
  PhaseParameters,
  RenderOptions,
  RequestOptions,
  RerankParameters,
  RunParameters,
  SamplingParameters,
  SessionParameters,
  TierParameters,
  TokenizeParameters,
} from "./generated/parameters.js";
export type * from "./generated/results.js";
export type { PromptProgressEvent } from "./generated/results.js"; // the event of generations, not that of the point
export type { HookFlags } from "./generated/flags.js";
export type { AnsweredGenerateResult, Generation, GivenAnswer } from "./generate/generation.js";
export type { CallEnd, Running } from "./native/running.js";
export type { Validate, Validated } from "./generate/standard-validate.js";
export type { GpuBackend } from "./native/packages.js";
export type { Input, MessageInput, TextPart } from "./generate/messages.js";
export { type LentDevice, type RpcServer, type RpcServerOptions, startRpcServer } from "./native/rpc-server.js";
export { type GpuModuleReport, gpuReport } from "./native/gpu-report.js";
export type { GpuTrial, TriedDevice } from "./native/gpu-trial.js";
export type { HookInfo, HookListOptions, HookStats } from "./hooks/hook-info.js";
export type {
  AnyHookEvent,
  FieldOf,
  FieldsEventOf,
  FieldsHandler,
  FieldsObserver,
  GuardHandler,
  GuardOptions,
  Handler,
  HookAnswerOf,
  HookEventOf,
  HandlersOf,
  HookOptions,
  HookSetFields,
  Matcher,
  NamedTool,
  NativeMatcher,
  NativeHookOptions,
  Observer,
  OfFields,
  OfTool,
  OnOptions,
  PostHandler,
  PreHandler,
  ToolEventOf,
  ToolHandler,
  ToolObserver,
  ToolPoint,
} from "./hooks/hook-types.js";
export type { Hooks } from "./hooks/hooks.js";
export { firesIn, type HookPlace, warnOfUnfired } from "./hooks/unfired.js";
export type { JsonSchema, SchemaInput, SchemaOutput, StandardSchema } from "./generate/json-schema.js";
export type { Gpu } from "./native/libraries.js";
export type { AdapterOptions, Adapters } from "./models/adapters.js";
export { bundledModel } from "./models/model-files.js";
export type {
  LoadControl,
  LoadOptions,
  ModelOptions,
  OnProgress,
  ProvidedModelOptions,
} from "./models/model-options.js";
export { affinity, type Affinity, type AffinityHints, type AffinityRequest } from "./remote/affinity.js";
export {
  type LanguageModel,
  remote,
  type RemoteCallLimits,
  type RemoteLimits,
  type RemoteModel,
  type RemoteOptions,
  type RemoteTimeouts,
} from "./remote/remote.js";
export type { Embedding, EmbeddingFacts, Embeddings, EmbedOptions, RerankOptions } from "./models/embeddings.js";
export type { ModelChoice, Models, ProbeOptions, PromptRequest, TokenizeOptions } from "./models/models.js";
export { type AnyPoint, type AnyPrePoint, findPoint, pointNames, type PointOf } from "./base/point-names.js";
export { readRecording } from "./recording/recording-file.js";
export { recordRun, type RecordOptions, type RunRecording } from "./recording/record-run.js";
export type {
  RecordedAnswer,
  RecordedCall,
  RecordedChange,
  RecordedMessage,
  RecordedOutcome,
  RecordedResult,
  RecordedRun,
  RecordedTool,
  RecordedToolCall,
  Recording,
} from "./recording/recording.js";
export type { HookRegistration, Registration } from "./hooks/registration.js";
export type { SamplingOptions } from "./generate/sampling.js";
export type { AnsweredResult, Run } from "./sessions/run.js";
export type { ArgumentCondition, NumberCondition, PermissionRule } from "./sessions/permission-rules.js";
export type { ControlTool, DirectiveType } from "./generated/tools.js";
export type {
  Plan,
  ResumeOptions,
  RunOptions,
  SessionOptions,
  SessionTool,
  WaitingAnswer,
  AnswerBy,
} from "./sessions/session-options.js";
export type { PhaseOptions, TierOptions } from "./sessions/tier-options.js";
export type { CompactOptions, ForkOptions, Session } from "./sessions/session.js";
export type {
  AnsweredResultWith,
  RunEventOf,
  RunResultWith,
  SessionTools,
  ToolRecordOf,
} from "./sessions/typed-calls.js";
export type { ListSessionsOptions, OpenSessionOptions, ResumeSessionOptions, Sessions } from "./stores/sessions.js";
export type { Elicit, ElicitRequest, ElicitResult } from "./generate/elicitation.js";
export { folderStore } from "./stores/folder-store.js";
export { sqliteStore } from "./stores/sqlite-store.js";
export { applyChanges } from "./stores/apply-changes.js";
export {
  type AppendAnswer,
  type LeaseAnswer,
  type LeaseRequest,
  matchesQuery,
  type RecordChange,
  type RecordEdit,
  type SessionChange,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  type SessionTags,
  type StoredRecord,
} from "./stores/session-store.js";
export type { StoredSession } from "./stores/stored-session.js";
export {
  tool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
  type ToolSettings,
  type ToolSpec,
} from "./generate/tool.js";
export type { TraceEvent } from "./hooks/trace-event.js";
export type { SpanKind } from "./hooks/trace-spans.js";
export type { TraceReader } from "./hooks/trace.js";
export {
  type ChromeBase,
  type ChromeInstant,
  type ChromeName,
  type ChromeSpan,
  type ChromeTrace,
  type ChromeTraceEvent,
  traceEvents,
} from "./hooks/chrome-trace.js";
export type { TraceOptions } from "./hooks/trace-options.js";
