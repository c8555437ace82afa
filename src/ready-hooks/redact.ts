// redact(): masks secrets in what goes into the model, in tool results and in the model's output.
// Must not: release a part of a match because it arrived in two tokens.
import { checkObject, optionalString, wrong } from "../base/check.js";
import { defineHooks, type HookSet } from "../index.js";
import { endsWithPartialMatch, matchesEmptyText } from "./partial-match.js";

/** Options of `redact()`. */
export interface RedactOptions {
  /** The replacement text ["[redacted]"]. */
  readonly mask?: string;
}

/** Text arguments of built-in tools, which tiers, the user or the next prompt will read. */
const prose: ReadonlyMap<string, readonly string[]> = new Map([
  ["complete", ["summary", "answer"]],
  ["delegate", ["task"]],
  ["pipeline", ["task", "stages"]],
  ["todo", ["todos"]],
]);

/**
 * Masks every match of the patterns (texts or regular expressions). A pattern that can match the empty text is refused;
 * this is not detected in all patterns with lookbehind or backreferences. Masked are user messages, results of tools
 * and tiers, all texts of directives, delegated tasks, and the model's text and reasoning, both streamed and stored.
 * Text that may still become a match is held back until this is decided, however many tokens that takes.
 *
 * The parts of a tool's result are removed if the result or one of their texts matches, and the model is told so in the
 * second case.
 *
 * Not masked: what is encoded, such as images, in parts; messages of a tool's `progress()`; system prompts; text that other hooks inject, or answer instead of the model; the history that a session
 * begins with; and arguments of tool calls, which are for the tool, and in which the model cannot repeat what it was
 * never shown. The summary or answer of `complete`, the task of `delegate` and `pipeline` and the items of `todo` are text and
 * are masked, but not in the events that tell of a call while it is written (`toolCallDelta`, tokens of kind `tool_call`):
 * these come before the call does. A hook that fails masks nothing: post points cannot fail closed. Errors: `TypeError`.
 */
export function redact(patterns: string | RegExp | readonly (string | RegExp)[], options?: RedactOptions): HookSet {
  const found = (Array.isArray(patterns) ? patterns : [patterns]).map(checkPattern);
  if (found.length === 0) throw wrong("The patterns of redact()", "one or more", patterns);
  const given = checkObject(options, "redact() options", ["mask"]);
  const mask = optionalString(given.mask, "redact() options: mask") ?? "[redacted]";
  const within = found.map(endsWithPartialMatch);
  const masked = (text: string): string => found.reduce((rest, pattern) => rest.replace(pattern, () => mask), text);
  // Only a new text has the engine drop the parts.
  const shows = (parts: unknown): boolean => JSON.stringify(maskedDeep(parts, masked)) !== JSON.stringify(parts);
  return defineHooks("redact", {
    userMessage: ({ content }) => ({ content: masked(content) }),
    streamToken({ text, kind, final }) {
      if (kind === "tool_call") return undefined;
      if (final !== true && within.some((mayGrow) => mayGrow(text))) return { hold: true };
      const left = masked(text);
      return left === text ? undefined : { text: left };
    },
    postGenerate: ({ content }) => ({ content: masked(content) }),
    preToolCall({ toolName, args }) {
      const texts = Object.entries(args).filter(([key]) => prose.get(toolName)?.includes(key));
      if (texts.length === 0) return undefined;
      return { args: { ...args, ...maskedDeep(Object.fromEntries(texts), masked) } };
    },
    postToolCall: ({ result, parts, directives }) => ({
      result: shows(parts) ? `${masked(result)}\n[the parts of this result were removed]` : masked(result),
      ...(directives.length > 0 && { directives: maskedDeep(directives, masked) }),
    }),
    directive: ({ params }) => ({ params: maskedDeep(params, masked) }),
    delegate: ({ task }) => ({ task: masked(task) }),
    delegateComplete: ({ summary }) => ({ summary: masked(summary) }),
  });
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

/** Every text in a JSON value, including keys of objects. */
function maskedDeep<T>(value: T, masked: (text: string) => string): T;
function maskedDeep(value: unknown, masked: (text: string) => string): unknown {
  if (typeof value === "string") return masked(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskedDeep(item, masked));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [masked(key), maskedDeep(item, masked)]));
}
