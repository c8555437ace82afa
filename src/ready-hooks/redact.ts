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

/** Arguments of the engine's own tools that are written to be read: by tiers, by the user, or in the next prompt. */
const prose: ReadonlyMap<string, readonly string[]> = new Map([
  ["complete", ["summary"]],
  ["delegate", ["task"]],
  ["pipeline", ["task", "stages"]],
  ["todo", ["todos"]],
]);

/**
 * Masks every match of the patterns (texts, or regular expressions; one that can match an empty text is refused, as far as it
 * neither looks behind nor refers back) in what users say, in what tools and tiers give, in all texts of directives, in tasks that
 * are handed on, and in what the model says: in its text and its reasoning, as they are streamed and as they are stored. Text that
 * may yet become a match is held back until it is decided, however many tokens that takes.
 *
 * Not in system prompts, not in what other hooks inject or answer in the model's stead, not in a history that a session
 * begins with, and not in arguments of tool calls, which are for the tool, and what the model was never told it cannot say there;
 * but the summary of `complete`, the task of `delegate` and `pipeline` and the items of `todo` are text, and masked. A hook that
 * fails masks nothing: at post points nothing fails closed. Errors: `TypeError`.
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
      const texts = Object.entries(args).filter(([key]) => prose.get(toolName)?.includes(key));
      if (texts.length === 0) return undefined;
      return { args: { ...args, ...maskedDeep(Object.fromEntries(texts), masked) } };
    },
    postToolCall: ({ result, directives }) => ({
      result: masked(result),
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
  if (matchesNothing(pattern)) throw new TypeError(`A pattern of redact() matches the empty text: ${String(pattern)}`);
  return new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
}

/** Every text in a value of JSON, keys of objects too. */
function maskedDeep<T>(value: T, masked: (text: string) => string): T;
function maskedDeep(value: unknown, masked: (text: string) => string): unknown {
  if (typeof value === "string") return masked(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskedDeep(item, masked));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [masked(key), maskedDeep(item, masked)]));
}
