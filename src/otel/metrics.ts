// The metrics of operations that have ended.
import type { Attributes, Context, Histogram, Meter } from "@opentelemetry/api";
import * as names from "./conventions.js";
import type { Kind, Message, Messages } from "./messages.js";
import { whereIs } from "./providers.js";

interface Named {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly boundaries: number[];
}

export class Metrics {
  readonly #duration: Histogram;
  readonly #tokens: Histogram;
  readonly #firstToken: Histogram;
  readonly #perToken: Histogram;

  constructor(meter: Meter) {
    const histogram = ({ name, unit, description, boundaries }: Named): Histogram =>
      meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: boundaries } });
    this.#duration = histogram(names.operationDuration);
    this.#tokens = histogram(names.tokenUsage);
    this.#firstToken = histogram(names.timeToFirstToken);
    this.#perToken = histogram(names.timePerOutputToken);
  }

  record(kind: Kind, operation: string, message: Message, context: Context): void {
    const { durationUs = 0, queueMs = 0, error } = message;
    const about: Attributes = { [names.operationName]: operation, ...whereIs(kind, message) };
    if ("modelId" in message) about[names.requestModel] = message.modelId;
    if ("answeredBy" in message && message.answeredBy !== undefined) about[names.responseModel] = message.answeredBy;
    if ("toolName" in message) about[names.toolName] = message.toolName;
    const seconds = durationUs / 1_000_000 + queueMs / 1000;
    const failed = error === undefined ? about : { ...about, [names.errorType]: error.code };
    this.#duration.record(seconds, failed, context);
    // The tokens of a run are those of its model calls.
    if (kind === "generation" || kind === "modelCall") this.#call(message as Messages["generation"], about, context);
    if ((kind === "embedding" || kind === "rerank") && "tokens" in message && message.tokens !== undefined)
      this.#tokens.record(message.tokens, { ...about, [names.tokenType]: "input" }, context);
  }

  #call({ usage, error }: Messages["generation"], about: Attributes, context: Context): void {
    if (usage === undefined || error !== undefined) return;
    const { promptTokens, completionTokens, firstTokenMs, decodeMs } = usage;
    this.#tokens.record(promptTokens, { ...about, [names.tokenType]: "input" }, context);
    this.#tokens.record(completionTokens, { ...about, [names.tokenType]: "output" }, context);
    if (firstTokenMs !== undefined) this.#firstToken.record(firstTokenMs / 1000, about, context);
    if (completionTokens > 1) this.#perToken.record(decodeMs / 1000 / (completionTokens - 1), about, context);
  }
}
