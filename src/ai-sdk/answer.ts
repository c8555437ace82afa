// Converts the result of generate() to the parts of an answer of the AI SDK.
import type { Decision, GenerateResult, HookRecord } from "../index.js";
import { providerKey } from "./settings.js";
import type { Answer, FinishReason, JsonObject, Metadata, TokenUsage, Warning } from "./specification.js";

/** The calls that may run: none, if a hook has ended the answer. */
export function callsOf({ toolCalls, cancel, halt }: GenerateResult): GenerateResult["toolCalls"] {
  return (cancel ?? halt) === undefined ? toolCalls : [];
}

export function answerOf(result: GenerateResult, warnings: Warning[]): Answer {
  const { reasoning, text, runId, modelId } = result;
  return {
    content: [
      ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...callsOf(result).map(({ id = "", name, args }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(args),
      })),
    ],
    finishReason: finishReasonOf(result),
    usage: usageOf(result),
    providerMetadata: metadataOf(result),
    response: { id: runId, modelId, timestamp: new Date() },
    warnings,
  };
}

export function finishReasonOf(result: GenerateResult): FinishReason {
  const stopper = result.cancel ?? result.halt;
  if (stopper !== undefined) return { unified: "content-filter", raw: `hook:${stopper.by}` };
  if (result.finishReason === "length") return { unified: "length", raw: "length" };
  return { unified: result.toolCalls.length > 0 ? "tool-calls" : "stop", raw: result.finishReason };
}

export function usageOf({ usage }: GenerateResult): TokenUsage {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens = 0 } = usage;
  return {
    inputTokens: {
      total: promptTokens,
      noCache: promptTokens - cachedTokens,
      cacheRead: cachedTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: completionTokens, text: completionTokens - reasoningTokens, reasoning: reasoningTokens },
    raw: { ...usage },
  };
}

/** The facts that the AI SDK has no place for. */
export function metadataOf({ decisions, cancel, halt, stopText, logprobs }: GenerateResult): Metadata {
  const facts = { decisions: decisions.map(plainDecision), cancel, halt, stopText, logprobs };
  return { [providerKey]: JSON.parse(JSON.stringify(facts)) as JsonObject };
}

/** Without the values that hooks threw, which may be anything. */
function plainDecision(decision: Decision): object {
  return { ...decision, hooks: decision.hooks.map(plainRecord) };
}

function plainRecord({ error, ...record }: HookRecord): object {
  return error === undefined ? record : { ...record, error: { code: error.code, message: error.message } };
}
