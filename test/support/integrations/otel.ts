// OpenTelemetry's own SDK for tests: what an application has, with exporters in memory.
import { context, type ContextManager, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";
import { type Instrumentation, instrument } from "../../../src/otel/index.js";

export interface Telemetry {
  readonly instrumentation: Instrumentation;
  readonly provider: BasicTracerProvider;
  /** Spans that have ended, in the order of their beginning. */
  spans(): ReadableSpan[];
  /** Histograms that have values: the sum and number of values by attributes. */
  metrics(): Promise<Measured[]>;
}

export interface Measured {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum: number | undefined;
}

/** Instruments this process for the length of the test. */
export function telemetry(processors: readonly SpanProcessor[] = []): Telemetry {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [...processors, new SimpleSpanProcessor(exporter)],
  });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1_000_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const manager: ContextManager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const instrumentation = instrument({ tracerProvider: provider, meterProvider });
  onTestFinished(async () => {
    instrumentation.dispose();
    context.disable();
    trace.disable();
    await Promise.all([provider.shutdown(), meterProvider.shutdown()]);
  });
  const metrics = async (): Promise<Measured[]> => {
    await meterProvider.forceFlush();
    const last = metricExporter.getMetrics().at(-1);
    return (last?.scopeMetrics ?? []).flatMap((scope) =>
      scope.metrics.flatMap(({ descriptor: { name }, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          const { count, sum } = value as { count: number; sum?: number };
          return { name, attributes, count, sum };
        }),
      ),
    );
  };
  return { instrumentation, provider, spans: () => inOrder(exporter.getFinishedSpans()), metrics };
}

function inOrder(spans: readonly ReadableSpan[]): ReadableSpan[] {
  const ns = ({ startTime: [seconds, rest] }: ReadableSpan): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(rest);
  return [...spans].sort((a, b) => (ns(a) < ns(b) ? -1 : ns(a) > ns(b) ? 1 : 0));
}

/** A span's name, or its name and what is a part of it. */
export type Tree = string | { readonly [name: string]: readonly Tree[] };

/** The spans as nested names, siblings in the order of their beginning. */
export function tree(spans: readonly ReadableSpan[]): Tree[] {
  const below = (parent: string | undefined): Tree[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .map((span) => {
        const parts = below(span.spanContext().spanId);
        return parts.length === 0 ? span.name : { [span.name]: parts };
      });
  return below(undefined);
}

/** The one span of this name. Throws if there are more or none. */
export function spanOf(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.filter((span) => span.name === name);
  const [span] = found;
  if (span === undefined || found.length > 1) throw new Error(`${found.length} spans are called ${name}`);
  return span;
}
