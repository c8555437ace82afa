// One exchange: model calls and tool calls until the model answers. A user of engine.generate() like any other.
// Must not: print; a view does.
import type {
  Engine,
  GenerateEvent,
  GenerateOptions,
  GenerateResult,
  Message,
  Stopper,
  Tool,
  ToolCall,
} from "../index.js";

/** Model calls of one exchange at most. */
export const maxModelCalls = 6;

/** What is told while an exchange goes on. */
export interface ExchangeView {
  event(event: GenerateEvent): void;
  toolCall(call: ToolCall): void;
  toolResult(call: ToolCall, result: string, isError: boolean): void;
}

export interface ExchangeOptions {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly generate: GenerateOptions;
  readonly signal: AbortSignal;
  readonly view: ExchangeView;
}

export interface Exchange {
  /** "limit": the model still wanted tools after {@link maxModelCalls} calls. */
  readonly end: "answered" | "halted" | "cancelled" | "limit";
  /** Who ended it, with "halted" and "cancelled". */
  readonly by?: Stopper;
  /** The model's last text. */
  readonly text: string;
  /** With everything that was said, tool results included. */
  readonly messages: readonly Message[];
  readonly results: readonly GenerateResult[];
}

export async function exchange(engine: Engine, options: ExchangeOptions): Promise<Exchange> {
  const { tools, signal, view } = options;
  const messages = [...options.messages];
  const results: GenerateResult[] = [];
  let text = "";
  for (let call = 0; call < maxModelCalls; call++) {
    const offered = tools.length > 0 ? { tools } : {};
    const generation = engine.generate(messages, { ...options.generate, ...offered, signal });
    for await (const event of generation) view.event(event);
    const result = await generation;
    results.push(result);
    ({ text } = result);
    // Lets the trace of this call be shown before what follows from it.
    await new Promise((resolve) => setImmediate(resolve));
    messages.push({
      role: "assistant",
      content: text,
      ...(result.toolCalls.length > 0 && { toolCalls: result.toolCalls }),
    });
    const stopper = result.cancel ?? result.halt;
    if (stopper === undefined && result.toolCalls.length === 0) return { end: "answered", text, messages, results };
    for (const toolCall of result.toolCalls) {
      view.toolCall(toolCall);
      const { content, isError } = stopper ? refusal(stopper) : await runTool(tools, toolCall, signal);
      view.toolResult(toolCall, content, isError);
      const { id } = toolCall;
      messages.push({
        role: "tool",
        content,
        toolName: toolCall.name,
        ...(id === undefined ? {} : { toolCallId: id }),
      });
    }
    if (stopper) return { end: result.cancel ? "cancelled" : "halted", by: stopper, text, messages, results };
  }
  return { end: "limit", text, messages, results };
}

/** Every tool call gets exactly one result, also when it may not run. */
function refusal(stopper: Stopper): { content: string; isError: boolean } {
  return { content: `refused: ${stopper.reason ?? `cancelled by ${stopper.by}`}`, isError: true };
}

async function runTool(
  tools: readonly Tool[],
  call: ToolCall,
  signal: AbortSignal,
): Promise<{ content: string; isError: boolean }> {
  const found = tools.find(({ name }) => name === call.name);
  if (found === undefined) return { content: `error: there is no tool ${call.name}`, isError: true };
  try {
    const result = await found.run(call.args, { signal });
    return { content: typeof result === "string" ? result : JSON.stringify(result), isError: false };
  } catch (error) {
    return { content: `error: ${error instanceof Error ? error.message : String(error)}`, isError: true };
  }
}
