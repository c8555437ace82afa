// Counts and durations in the text format of Prometheus.
import type { GenerateResult } from "../../index.js";

/** The tokens that a call cost. */
export type Cost = Pick<GenerateResult["usage"], "promptTokens" | "cachedTokens" | "completionTokens">;

/** Upper bounds of the buckets of durations, in seconds. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;

interface Durations {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** The counts of a server since its start. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  readonly #tokens = new Map<string, number>();
  #inFlight = 0;

  /** A request has come. */
  begin(): void {
    this.#inFlight++;
  }

  /** A request has been answered to its end. */
  end(endpoint: string, status: number, seconds: number): void {
    this.#inFlight--;
    add(this.#requests, labels({ endpoint, status: String(status) }), 1);
    const key = labels({ endpoint }).slice(1, -1);
    const durations = this.#durations.get(key) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
    this.#durations.set(key, durations);
    bounds.forEach((bound, index) => {
      if (seconds <= bound) durations.buckets[index] = (durations.buckets[index] ?? 0) + 1;
    });
    durations.sum += seconds;
    durations.count++;
  }

  /** A call has cost tokens. */
  spend(model: string, { promptTokens, cachedTokens, completionTokens }: Cost): void {
    const kinds = { prompt: promptTokens, cached: cachedTokens, completion: completionTokens };
    for (const [kind, count] of Object.entries(kinds)) add(this.#tokens, labels({ model, kind }), count);
  }

  /** The page. */
  text(): string {
    return [
      ...family("llama_hooks_http_requests_total", "counter", "Requests that have been answered.", this.#requests),
      ...family("llama_hooks_http_requests_in_flight", "gauge", "Requests under way.", new Map([["", this.#inFlight]])),
      ...family(
        "llama_hooks_tokens_total",
        "counter",
        "Tokens by model: of prompts, those of them that were cached, and of answers.",
        this.#tokens,
      ),
      ...this.#histogram("llama_hooks_http_request_duration_seconds"),
      "",
    ].join("\n");
  }

  #histogram(name: string): string[] {
    const lines = head(name, "histogram", "Seconds from a request to the end of its answer.");
    for (const [key, { buckets, sum, count }] of this.#durations) {
      bounds.forEach((bound, index) => lines.push(`${name}_bucket{${key},le="${bound}"} ${buckets[index] ?? 0}`));
      lines.push(
        `${name}_bucket{${key},le="+Inf"} ${count}`,
        `${name}_sum{${key}} ${sum}`,
        `${name}_count{${key}} ${count}`,
      );
    }
    return lines;
  }
}

function add(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

function family(name: string, type: string, help: string, values: ReadonlyMap<string, number>): string[] {
  return [...head(name, type, help), ...[...values].map(([key, value]) => `${name}${key} ${value}`)];
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labels(values: Readonly<Record<string, string>>): string {
  const escaped = (text: string): string =>
    text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  return `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",")}}`;
}
