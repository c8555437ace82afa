// The subpath llama-hooks/server: serves an engine's models over the OpenAI-compatible protocol.
/// <reference lib="esnext.disposable" preserve="true" />
export type { Aliases } from "./endpoints/model-names.js";
export { createHandler, type Handler } from "./handler.js";
export type { KeyOptions } from "./http/callers.js";
export type { HandlerOptions, ServeOptions } from "./options.js";
export type { RequestRecord } from "./request-record.js";
export { type HttpServer, serve } from "./serve.js";
export type { ServedSessions } from "./sessions/options.js";
