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
  for (let call = 0; call < maxModelCalls; call++) {
    const offered = tools.length > 0 ? { tools } : {};
    const generation = engine.generate(messages, { ...options.generate, ...offered, signal });
    for await (const event of generation) view.event(event);
    const result = await generation;
    const { text, toolCalls, cancel, halt } = result;
    results.push(result);
    // Lets the trace of this call be shown before what follows from it.
    await new Promise((resolve) => setImmediate(resolve));
    messages.push(...result.messages); // with a refusal for each tool call that may not run
    const by = cancel ?? halt;
    for (const toolCall of toolCalls) {
      view.toolCall(toolCall);
      const refused = messages.find(({ toolCallId }) => toolCallId !== undefined && toolCallId === toolCall.id);
      const ran = refused === undefined ? await runTool(tools, toolCall, signal) : undefined;
      if (ran !== undefined) messages.push(ran.message);
      view.toolResult(toolCall, (refused ?? ran?.message)?.content ?? "", ran?.isError ?? true);
    }
    if (by) return { end: cancel ? "cancelled" : "halted", by, text, messages, results };
    if (toolCalls.length === 0) return { end: "answered", text, messages, results };
  }
  return { end: "limit", text: results.at(-1)?.text ?? "", messages, results };
}

async function runTool(
  tools: readonly Tool[],
  { id, name, args }: ToolCall,
  signal: AbortSignal,
): Promise<{ message: Message; isError: boolean }> {
  const to = { role: "tool", toolName: name, ...(id === undefined ? {} : { toolCallId: id }) } as const;
  try {
    const found = tools.find((tool) => tool.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    const result = await found.run(args, { signal });
    return {
      message: { ...to, content: typeof result === "string" ? result : JSON.stringify(result) },
      isError: false,
    };
  } catch (error) {
    const content = `error: ${error instanceof Error ? error.message : String(error)}`;
    return { message: { ...to, content }, isError: true };
  }
}
