// redact(): masks secrets in the model's input, in tool results and in the model's output.
// Must not: release a part of a match because it arrived in two tokens.
import { checkObject, optionalBoolean, optionalString, wrong } from "../base/check.js";
import { defineHooks, type HookSet, type Message, type PreGenerateEvent } from "../index.js";
import { Mask } from "./mask.js";
import { matchesEmptyText } from "./partial-match.js";

/** Options of `redact()`. */
export interface RedactOptions {
  /** The replacement text ["[redacted]"]. */
  readonly mask?: string;
  /**
   * True: the arguments of all tool calls are masked, too: the tool, hooks, readers of the run and the history receive
   * the masked arguments [false: only arguments of built-in tools that are text].
   */
  readonly args?: boolean;
  /**
   * False: prompts are not masked as a whole before they go to a model, so that the model receives system prompts,
   * histories and prompts of `generate()` unmasked [true].
   */
  readonly prompts?: boolean;
}

/** Text arguments of built-in tools, which tiers, the user or the next prompt will read. */
const prose: ReadonlyMap<string, readonly string[]> = new Map([
  ["complete", ["summary", "answer"]],
  ["delegate", ["task"]],
  ["pipeline", ["task", "stages"]],
  ["todo", ["todos"]],
]);

/**
 * Masks every match of the patterns (texts or regular expressions), also if JSON has escaped it. A pattern that can
 * match the empty text is refused; this is not detected in all patterns with lookbehind or backreferences. It masks
 * user messages, results of tools and tiers, all texts of directives, delegated tasks, the model's text and reasoning,
 * both streamed and stored, and the messages of each prompt before it goes to a model. Text that may still become a
 * match is held back until this is decided, however many tokens that takes.
 *
 * The parts of a tool's result are removed if the result or one of their texts matches; in the second case the result
 * says so to the model.
 *
 * It does not mask: data in other encodings than JSON's, such as images, in parts; messages of a tool's `progress()`;
 * descriptions of tools; texts of `embed()` and `rerank()`; the stored copies of texts that the program passes: system
 * prompts and the history that a session begins with; and, without `args`, arguments of tool calls, which are for the
 * tool. The summary or answer of `complete`, the task of `delegate` and `pipeline` and the items of `todo` are text and
 * are masked, but without `args` not in the events of a call while it is written (`toolCallDelta`, tokens of kind
 * `tool_call`), because these events precede the call. A hook that fails masks nothing: post points cannot fail closed.
 * Errors: `TypeError`.
 *
 * @example
 * ```ts
 * engine.hooks.use(redact(/\bsk-[a-z0-9]+\b/, { mask: "hidden" }));
 * ```
 */
export function redact(patterns: string | RegExp | readonly (string | RegExp)[], options?: RedactOptions): HookSet {
  const found = (Array.isArray(patterns) ? patterns : [patterns]).map(checkPattern);
  if (found.length === 0) throw wrong("The patterns of redact()", "one or more", patterns);
  const given = checkObject(options, "redact() options", ["mask", "args", "prompts"]);
  const mask = new Mask(found, optionalString(given.mask, "redact() options: mask") ?? "[redacted]");
  const args = optionalBoolean(given.args, "redact() options: args") ?? false;
  const prompts = optionalBoolean(given.prompts, "redact() options: prompts") ?? true;
  // Only a new text has the engine drop the parts.
  const shows = (parts: unknown): boolean => JSON.stringify(mask.value(parts)) !== JSON.stringify(parts);
  return defineHooks(
    "redact",
    {
      userMessage: ({ content }) => ({ content: mask.text(content) }),
      ...(prompts && {
        preGenerate({ messages, prompt }: Pick<PreGenerateEvent, "messages" | "prompt">) {
          const left = messages.map((message) => maskedMessage(message, mask, args));
          const text = prompt === undefined ? undefined : mask.text(prompt);
          return {
            ...(left.some((message, index) => message !== messages[index]) && { messages: left }),
            ...(text !== prompt && { prompt: text }),
          };
        },
      }),
      streamToken({ text, kind, final }) {
        if (kind === "tool_call" && !args) return undefined;
        if (final !== true && mask.mayGrow(text)) return { hold: true };
        const left = mask.text(text);
        return left === text ? undefined : { text: left };
      },
      postGenerate: ({ content }) => ({ content: mask.text(content) }),
      preToolCall({ toolName, args: all }) {
        const texts = args
          ? all
          : Object.fromEntries(Object.entries(all).filter(([key]) => prose.get(toolName)?.includes(key)));
        if (Object.keys(texts).length === 0) return undefined;
        return { args: args ? mask.value(all) : { ...all, ...mask.value(texts) } };
      },
      postToolCall: ({ result, parts, directives }) => ({
        result: shows(parts) ? `${mask.text(result)}\n[the parts of this result were removed]` : mask.text(result),
        ...(directives.length > 0 && { directives: mask.value(directives) }),
      }),
      directive: ({ params }) => ({ params: mask.value(params) }),
      delegate: ({ task }) => ({ task: mask.text(task) }),
      delegateComplete: ({ summary }) => ({ summary: mask.text(summary) }),
    },
    { fields: { preGenerate: ["messages", "prompt"], postGenerate: ["content"] } },
  );
}

/** The message itself if nothing in it matches. */
function maskedMessage(message: Message, mask: Mask, args: boolean): Message {
  const { content, reasoning, toolCalls } = message;
  const left = {
    content: mask.text(content),
    ...(reasoning !== undefined && { reasoning: mask.text(reasoning) }),
    ...(args &&
      toolCalls !== undefined && { toolCalls: toolCalls.map((call) => ({ ...call, args: mask.value(call.args) })) }),
  };
  const isSame =
    left.content === content &&
    left.reasoning === reasoning &&
    (left.toolCalls === undefined || JSON.stringify(left.toolCalls) === JSON.stringify(toolCalls));
  return isSame ? message : { ...message, ...left };
}

function checkPattern(pattern: unknown): RegExp {
  if (typeof pattern === "string" && pattern !== "")
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "g");
  if (!(pattern instanceof RegExp))
    throw wrong("A pattern of redact()", "a text that is not empty, or a RegExp", pattern);
  if (matchesEmptyText(pattern))
    throw new TypeError(`A pattern of redact() matches the empty text: ${String(pattern)}`);
  return new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
}
