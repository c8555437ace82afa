// The subpath llama-hooks/inspector: a page that shows an engine, or saved traces and recordings.
/// <reference lib="esnext.disposable" preserve="true" />
export { inspect, inspectFiles, type Inspector } from "./inspect.js";
export type { InspectFilesOptions, InspectOptions } from "./options.js";
export { ownHookName as inspectorHookName } from "./record/values.js";
