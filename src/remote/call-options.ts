// Converts the engine's request for one answer to the options of an AI SDK language model.
import { toSnake } from "../base/wire.js";
import type { AffinityHints } from "./affinity.js";
import type { CallOptions, FunctionTool, PromptMessage, PromptPart } from "./language-model.js";
import type { OwnRequest, WireMessage } from "./own-request.js";

/** The sampling parameters that every model follows, by their names here and there. */
const plainParameters = {
  max_tokens: "maxOutputTokens",
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  seed: "seed",
  stop: "stopSequences",
} as const satisfies Record<string, keyof CallOptions>;

/** The parameter that a provider calls by this name. */
export function parameterOf(theirs: string): string {
  return Object.entries(plainParameters).find(([, name]) => name === theirs)?.[0] ?? toSnake(theirs);
}

/** Returns the abilities of an AI SDK model, in the engine's form. `version`: of the provider interface. */
export function abilities(version: string): { features: readonly string[]; parameters: readonly string[] } {
  const parameters = Object.keys(plainParameters);
  return {
    features: ["tools", "json_schema"],
    parameters: version === "v3" ? parameters : [...parameters, "reasoning"],
  };
}

/** `provider`: the name by which the provider finds members of the body. */
export function callOptions(
  request: OwnRequest,
  { headers = {}, body = {} }: AffinityHints,
  provider: string,
): Omit<CallOptions, "abortSignal"> {
  const { params } = request;
  const plain = Object.entries(plainParameters).flatMap(([ours, theirs]) =>
    params[ours] === undefined ? [] : [[theirs, params[ours]] as const],
  );
  return {
    ...(Object.fromEntries(plain) as Partial<CallOptions>),
    prompt: promptOf(request.messages),
    ...(params["json_schema"] !== undefined && {
      responseFormat: { type: "json" as const, schema: params["json_schema"] },
    }),
    ...(request.tools.length > 0 && { tools: toolsOf(request), toolChoice: choiceOf(params["tool_choice"]) }),
    ...(params["reasoning"] === false && { reasoning: "none" as const }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(body).length > 0 && { providerOptions: { [provider]: body } }),
  };
}

function toolsOf({ tools, params }: OwnRequest): FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters,
    ...(params["strict_schema"] === true && { strict: true }),
  }));
}

function choiceOf(choice: unknown): NonNullable<CallOptions["toolChoice"]> {
  if (typeof choice === "object" && choice !== null)
    return { type: "tool", toolName: String((choice as { tool: unknown }).tool) };
  return { type: (choice ?? "auto") as "auto" | "none" | "required" };
}

/** Results of tools that follow each other are one message. */
function promptOf(messages: readonly WireMessage[]): PromptMessage[] {
  const prompt: { role: PromptMessage["role"]; content: string | PromptPart[] }[] = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    if (message.role === "tool" && last?.role === "tool") (last.content as PromptPart[]).push(...partsOf(message));
    else prompt.push({ role: message.role, content: message.role === "system" ? message.content : partsOf(message) });
  }
  return prompt as PromptMessage[];
}

function partsOf(message: WireMessage): PromptPart[] {
  const { role, content, reasoning, tool_calls: calls = [] } = message;
  if (role === "tool") {
    const { tool_call_id: toolCallId = "", tool_name: toolName = "" } = message;
    return [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } }];
  }
  return [
    ...(reasoning === undefined ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...(content === "" && calls.length > 0 ? [] : [{ type: "text" as const, text: content }]),
    ...calls.map(({ id, name, args }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input: args,
    })),
  ];
}
