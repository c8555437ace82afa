// The public names of llama-hooks/otel.
/// <reference lib="esnext.disposable" preserve="true" />
export { instrument, type Instrumentation, type InstrumentOptions } from "./instrument.js";
