// Times of the trace as OpenTelemetry takes them.
import type { HrTime } from "@opentelemetry/api";

/** Microseconds since the Unix epoch, as seconds and nanoseconds. */
export function hrTime(us: number): HrTime {
  const seconds = Math.floor(us / 1_000_000);
  return [seconds, Math.round((us - seconds * 1_000_000) * 1000)];
}
