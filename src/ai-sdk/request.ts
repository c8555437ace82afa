// Converts the options of a call to the arguments of generate(), and warns of settings that have no effect.
import type { GenerateOptions, JsonSchema, Message, ToolSpec } from "../index.js";
import { messagesOf } from "./prompt.js";
import { mergedOptions, type Setup } from "./settings.js";
import type { CallOptions, FunctionTool, ProviderTool, ToolChoice, Warning } from "./specification.js";

/** One call of the engine. */
export interface Request {
  readonly input: readonly Message[];
  readonly options: GenerateOptions;
  readonly warnings: Warning[];
}

export function requestOf({ generate }: Setup, model: string, call: CallOptions): Request {
  const warnings: Warning[] = [];
  const settings = { ...samplingOf(call), ...toolsOf(call.tools ?? [], call.toolChoice, warnings) };
  return {
    input: messagesOf(call.prompt),
    options: {
      ...mergedOptions(generate, { ...settings, ...reasoningOf(call.reasoning, warnings) }, call.providerOptions),
      model,
      ...(call.abortSignal !== undefined && { signal: call.abortSignal }),
    },
    warnings,
  };
}

/** Settings with the same meaning, by their names here and there. */
const names = {
  maxOutputTokens: "maxTokens",
  temperature: "temperature",
  topP: "topP",
  topK: "topK",
  presencePenalty: "presencePenalty",
  frequencyPenalty: "frequencyPenalty",
  seed: "seed",
} as const satisfies Partial<Record<keyof CallOptions, keyof GenerateOptions>>;

function samplingOf(call: CallOptions): GenerateOptions {
  const plain = Object.entries(names).flatMap(([theirs, ours]) => {
    const value = call[theirs as keyof typeof names];
    return value === undefined ? [] : [[ours, value] as const];
  });
  const { stopSequences: stop = [], responseFormat: format } = call;
  return {
    ...(Object.fromEntries(plain) as GenerateOptions),
    ...(stop.length > 0 && { stop }),
    ...(format?.type === "json" && { jsonSchema: (format.schema ?? {}) as JsonSchema }),
  };
}

function toolsOf(
  tools: readonly (FunctionTool | ProviderTool)[],
  choice: ToolChoice | undefined,
  warnings: Warning[],
): GenerateOptions {
  const functions = tools.filter((tool) => tool.type === "function");
  for (const tool of tools)
    if (tool.type !== "function")
      warnings.push({
        type: "unsupported",
        feature: `provider tool ${tool.id}`,
        details: "An engine has no tools of its own here: define a function tool.",
      });
  warnOfTools(functions, warnings);
  const isStrict = functions.length > 0 && functions.every(({ strict }) => strict === true);
  return {
    ...(functions.length > 0 && { tools: functions.map(toolSpec) }),
    ...(choice !== undefined &&
      tools.length > 0 && { toolChoice: choice.type === "tool" ? { tool: choice.toolName } : choice.type }),
    ...(isStrict && { strictSchema: true }),
  };
}

function toolSpec({ name, description, inputSchema }: FunctionTool): ToolSpec {
  return { name, ...(description !== undefined && { description }), parameters: inputSchema as JsonSchema };
}

function warnOfTools(tools: readonly FunctionTool[], warnings: Warning[]): void {
  const strict = tools.filter((tool) => tool.strict === true);
  if (strict.length > 0 && strict.length < tools.length)
    warnings.push({
      type: "unsupported",
      feature: "strict",
      details: "Some tools are strict and some are not: keywords that the grammar cannot enforce have no effect.",
    });
  for (const { name, inputExamples = [] } of tools)
    if (inputExamples.length > 0)
      warnings.push({
        type: "unsupported",
        feature: `inputExamples of the tool ${name}`,
        details: "They are not sent.",
      });
}

/** A model reasons or does not; chat templates know no levels. */
function reasoningOf(level: string | undefined, warnings: Warning[]): GenerateOptions {
  if (level === undefined || level === "provider-default") return {};
  if (level === "none") return { reasoning: false };
  warnings.push({
    type: "compatibility",
    feature: `reasoning ${level}`,
    details: "The model reasons without a level: limit it with providerOptions.llamaHooks.reasoningBudget.",
  });
  return { reasoning: true };
}
