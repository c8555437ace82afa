// instrument(): subscribes OpenTelemetry to the tracing channels.
import { tracingChannel } from "node:diagnostics_channel";
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { checkObject, wrong } from "../base/check.js";
import { ownPackageJson } from "../base/package-json.js";
import { loadApi } from "./api.js";
import type { HookMessage, Kind, Message } from "./messages.js";
import { Metrics } from "./metrics.js";
import { Spans } from "./spans.js";

/** Options of `instrument()`. */
export interface InstrumentOptions {
  /** The provider of the tracer [the one that is registered with `@opentelemetry/api`]. */
  readonly tracerProvider?: TracerProvider;
  /** The provider of the meter [the one that is registered with `@opentelemetry/api`]. */
  readonly meterProvider?: MeterProvider;
}

/** Returned by `instrument()`. */
export interface Instrumentation extends Disposable {
  /** Ends the instrumentation and all open spans. A second call does nothing. */
  dispose(): void;
}

const kinds = ["modelLoad", "generation", "embedding", "rerank", "run", "modelCall", "toolCall", "plan"] as const;

/**
 * Makes spans and metrics of the work of all engines of this process, with OpenTelemetry: from the next request of an
 * engine on, until the instrumentation is disposed. docs/guides/opentelemetry.md lists the spans, their attributes and
 * the metrics. Prompts, answers, and the arguments and results of tools are never in them.
 * Errors: `TypeError`; UNSUPPORTED if `@opentelemetry/api` is not installed.
 *
 * @example
 * ```ts
 * const telemetry = instrument({ tracerProvider });
 * const engine = await createEngine();
 * await engine.generate("Hello");
 * await engine.close();
 * telemetry.dispose();
 * ```
 */
export function instrument(options?: InstrumentOptions): Instrumentation {
  const { tracerProvider, meterProvider } = checked(options);
  const api = loadApi();
  const { version } = ownPackageJson();
  const tracer = (tracerProvider ?? api.trace).getTracer("llama-hooks", version);
  const meter = (meterProvider ?? api.metrics).getMeter("llama-hooks", version);
  const spans = new Spans(api, tracer, new Metrics(meter));
  /** A subscriber that throws would end the process, and exporters are not ours. */
  const guarded = (what: () => void): void => {
    try {
      what();
    } catch (error) {
      api.diag.error("llama-hooks/otel: a span or metric could not be recorded", error);
    }
  };
  const on = (kind: Kind | "hookCall", start: (message: object) => void, asyncEnd: (message: object) => void) => {
    const nothing = (): void => undefined;
    const subscriber = { start, asyncEnd, end: nothing, asyncStart: nothing, error: nothing };
    const channel = tracingChannel<object>(`llama-hooks:${kind}`);
    channel.subscribe(subscriber);
    return () => void channel.unsubscribe(subscriber);
  };
  const leave = kinds.map((kind) =>
    on(
      kind,
      (message) => guarded(() => spans.begin(kind, message as Message)),
      (message) => guarded(() => spans.end(kind, message as Message)),
    ),
  );
  leave.push(
    on(
      "hookCall",
      () => undefined,
      (message) => guarded(() => spans.hook(message as HookMessage)),
    ),
  );
  const dispose = (): void => {
    for (const stop of leave.splice(0)) stop();
    guarded(() => spans.endAll());
  };
  return { dispose, [Symbol.dispose]: dispose };
}

function checked(options: InstrumentOptions | undefined): InstrumentOptions {
  const what = "instrument() options";
  const given = checkObject(options, what, ["tracerProvider", "meterProvider"]) as InstrumentOptions;
  const { tracerProvider, meterProvider } = given;
  if (tracerProvider !== undefined && typeof tracerProvider?.getTracer !== "function")
    throw wrong(`${what}.tracerProvider`, "a TracerProvider", tracerProvider);
  if (meterProvider !== undefined && typeof meterProvider?.getMeter !== "function")
    throw wrong(`${what}.meterProvider`, "a MeterProvider", meterProvider);
  return given;
}
