// redact(): what must not be known is masked, in what goes in, in what tools give, and in what the model says.
// Must not: let a part of it out first because it came in two tokens.
import { checkObject, optionalString, wrong } from "../base/check.js";
import { defineHooks, type HookSet } from "../index.js";
import { endsWithin, matchesNothing } from "./beginnings.js";

/** Options of `redact()`. */
export interface RedactOptions {
  /** What stands in its place ["[redacted]"]. */
  readonly mask?: string;
}

/**
 * Masks every match of the patterns (texts, or regular expressions; one that can match an empty text is refused, as far as it
 * neither looks behind nor refers back) in what users say, in what tools
 * and tiers give, in directives, and in what the model says: in its text and its reasoning, as they are streamed and as they
 * are stored. Text that may yet become a match is held back until it is decided, however many tokens that takes.
 *
 * Not in system prompts, not in what other hooks inject or answer in the model's stead, not in a history that a session
 * begins with, and not in tool calls but for the summary of `complete`: their arguments are for the tool, and what the model
 * was never told it cannot say there. A hook that fails masks nothing: at post points nothing fails closed. Errors: `TypeError`.
 */
export function redact(patterns: string | RegExp | readonly (string | RegExp)[], options?: RedactOptions): HookSet {
  const found = (Array.isArray(patterns) ? patterns : [patterns]).map(checkPattern);
  if (found.length === 0) throw wrong("The patterns of redact()", "one or more", patterns);
  const given = checkObject(options, "redact() options", ["mask"]);
  const mask = optionalString(given.mask, "redact() options: mask") ?? "[redacted]";
  const within = found.map(endsWithin);
  const masked = (text: string): string => found.reduce((rest, pattern) => rest.replace(pattern, () => mask), text);
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
      const summary = args["summary"];
      if (toolName !== "complete" || typeof summary !== "string") return undefined;
      return { args: { ...args, summary: masked(summary) } };
    },
    postToolCall: ({ result }) => ({ result: masked(result) }),
    directive: ({ params }) => ({ params: maskedDeep(params, masked) as Record<string, unknown> }),
    delegateComplete: ({ summary }) => ({ summary: masked(summary) }),
  });
}

function checkPattern(pattern: unknown): RegExp {
  if (typeof pattern === "string" && pattern !== "")
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "g");
  if (!(pattern instanceof RegExp))
    throw wrong("A pattern of redact()", "a text that is not empty, or a RegExp", pattern);
  if (matchesNothing(pattern)) throw new TypeError(`A pattern of redact() matches the empty text: ${String(pattern)}`);
  return new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
}

function maskedDeep(value: unknown, masked: (text: string) => string): unknown {
  if (typeof value === "string") return masked(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskedDeep(item, masked));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedDeep(item, masked)]));
}
