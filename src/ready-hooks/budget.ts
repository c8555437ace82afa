// Estimates the size of a prompt without a tokenizer. The engine itself counts tokens.
import { checkObject, optionalInteger, wrong } from "../base/check.js";
import type { ContextBudgetEvent, JsonSchema, Message, ToolSpec } from "../index.js";

/** The parts of a prompt. A list is estimated as one text. */
export interface BudgetParts {
  /** The system prompt. */
  readonly persona?: string;
  /** Tools as texts, or with their JSON Schemas. */
  readonly tools?:
    | string
    | readonly (Omit<ToolSpec, "parameters"> & {
        /** JSON Schema of the arguments. */
        readonly parameters?: JsonSchema;
      })[];
  /** The conversation, as a text or as messages. */
  readonly history?: string | readonly Message[];
}

/** The estimate has the fields of a `contextBudget` event. */
export type EstimatedBudget = Omit<ContextBudgetEvent, "meta">;

/** The share above which a context counts as over its budget. */
const most = 0.85;

/**
 * Estimates the tokens of a text: a quarter of its bytes, rounded down. `engine.models.tokenize()` counts exactly.
 *
 * @example
 * ```ts
 * estimateTokens("In the north."); // 3
 * ```
 */
export function estimateTokens(text: string): number {
  if (typeof text !== "string") throw wrong("The text of estimateTokens()", "a string", text);
  return Math.floor(Buffer.byteLength(text) / 4);
}

/**
 * Estimates, part by part, how a prompt fills a context of `maxTokens` tokens. Errors: `TypeError`.
 *
 * @example
 * ```ts
 * const { totalTokens, overBudget } = estimateBudget({ persona: "You answer briefly.", history: messages }, 4096);
 * ```
 */
export function estimateBudget(parts: BudgetParts, maxTokens: number): EstimatedBudget {
  const given = checkObject(parts, "The parts of estimateBudget()", ["persona", "tools", "history"]);
  const room = optionalInteger(maxTokens, "The maxTokens of estimateBudget()", 1);
  if (room === undefined) throw wrong("The maxTokens of estimateBudget()", "an integer of at least 1", maxTokens);
  const estimate = (part: keyof BudgetParts): number => estimateTokens(asText(given[part], part));
  const personaTokens = estimate("persona");
  const toolSchemaTokens = estimate("tools");
  const historyTokens = estimate("history");
  const totalTokens = personaTokens + toolSchemaTokens + historyTokens;
  const utilization = totalTokens / room;
  const overBudget = utilization > most;
  const counts = { personaTokens, toolSchemaTokens, historyTokens, totalTokens, maxTokens: room };
  return { ...counts, utilization, overBudget, estimated: true };
}

function asText(part: unknown, name: string): string {
  if (part === undefined) return "";
  if (typeof part === "string") return part;
  if (name === "persona" || !Array.isArray(part))
    throw wrong(name, name === "persona" ? "a string" : "a string or a list", part);
  return part.map((item: unknown) => leaves(item).join(" ")).join("\n");
}

/** The texts in a value, without the punctuation of JSON. */
function leaves(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [String(value)];
  if (Array.isArray(value)) return value.flatMap(leaves);
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === "object" ? [key, ...leaves(item)] : leaves(item),
  );
}
