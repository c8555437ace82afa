// The subpath llama-hooks/testing: generated models, recordings of hooks, and replays, for tests.
// Must not: be imported by the engine.
/// <reference lib="esnext.disposable" preserve="true" />
export { type EmbeddingModelOptions, writeEmbeddingModel } from "./embedding-model.js";
export { type HookRecording, recordHooks, type RecordedEvent } from "./record-hooks.js";
export { type Replay, replayRun, type ReplayOptions } from "./replay-run.js";
export type { ReplayDifference } from "./replay-differences.js";
export { writeScriptModel } from "./script-model.js";
export type { ScriptAdapter, ScriptModelOptions } from "./script-options.js";
export type { ScriptMessage, ScriptPieces, ScriptReply, ScriptToolCall } from "./script-reply.js";
export { writeSyntheticModel, type SyntheticModelOptions } from "./synthetic-model.js";
export type { Architecture, ModelShape, ShapeName } from "./synthetic-shapes.js";
