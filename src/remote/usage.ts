// Checks the token counts of a remote model's server. Must not: discard an answer because of its counts.
import { isObject } from "../base/check.js";
import type { StreamPart } from "./language-model.js";

/** The maximum tokens of a prompt or an answer: no context holds more. */
const mostTokens = 2 ** 24;

type Name = "prompt_tokens" | "cached_tokens" | "completion_tokens" | "reasoning_tokens";

/** Counts of a server: untrusted values. */
export type Counts = Readonly<Record<Name, unknown>>;

/** Plausible counts, or why they are impossible. The engine keeps its own estimate of counts that are left out. */
export interface Believed {
  readonly usage?: Readonly<Partial<Record<Name, number>>>;
  readonly doubt?: string;
}

/** The counts of the end of an answer. */
export function countsIn({ usage }: StreamPart): Counts {
  return {
    prompt_tokens: usage?.inputTokens?.total,
    cached_tokens: usage?.inputTokens?.cacheRead,
    completion_tokens: usage?.outputTokens?.total,
    reasoning_tokens: usage?.outputTokens?.reasoning,
  };
}

/** The counts of a chunk of the OpenAI protocol. */
export function countsOfChunk(usage: unknown): Counts {
  const member = (of: unknown, name: string): unknown => (isObject(of) ? of[name] : undefined);
  const isUsage = isObject(usage);
  return {
    prompt_tokens: isUsage ? usage["prompt_tokens"] : usage,
    cached_tokens: member(member(usage, "prompt_tokens_details"), "cached_tokens"),
    completion_tokens: member(usage, "completion_tokens"),
    reasoning_tokens: member(member(usage, "completion_tokens_details"), "reasoning_tokens"),
  };
}

/** One impossible count makes all of them doubtful. */
export function believed(counts: Counts): Believed {
  const given = Object.entries(counts).filter(([, count]) => count !== undefined && count !== null);
  for (const [name, count] of given)
    if (!Number.isInteger(count) || (count as number) < 0 || (count as number) > mostTokens)
      return { doubt: `${name} is ${typeof count === "number" ? String(count) : `no number (${typeof count})`}` };
  const known = Object.fromEntries(given) as Partial<Record<Name, number>>;
  const exceeds = (part: Name, whole: Name): boolean => (known[part] ?? 0) > (known[whole] ?? Infinity);
  if (exceeds("cached_tokens", "prompt_tokens"))
    return { doubt: `cached_tokens is ${known.cached_tokens}, and prompt_tokens is ${known.prompt_tokens}` };
  if (exceeds("reasoning_tokens", "completion_tokens")) delete known.reasoning_tokens; // some servers count it apart
  // Providers report 0 if a server reports nothing, and parts are useless without their whole.
  const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = known;
  const usage = {
    ...(prompt > 0 && { prompt_tokens: prompt, ...of(known, "cached_tokens") }),
    ...(completion > 0 && { completion_tokens: completion, ...of(known, "reasoning_tokens") }),
  };
  return Object.keys(usage).length === 0 ? {} : { usage };
}

function of(known: Partial<Record<Name, number>>, name: Name): Partial<Record<Name, number>> {
  return known[name] === undefined ? {} : { [name]: known[name] };
}
