// Keeps the values of fields after the hooks at each point, so that a page can show them on request. Must not: keep
// more than its bound, or anything from before the hooks unless `raw` asks for it: hooks may have removed a secret.
import {
  type AnyHookEvent,
  defineHooks,
  type HookObservers,
  type HookSet,
  type PointName,
  pointNames,
} from "../../index.js";
import type { CallLink, Fields, Values } from "../wire/wire.js";

/** The name of the observers that an inspector adds to an engine, in its decisions and statistics. */
export const ownHookName = "llama-hooks inspector";

/**
 * Points at which nothing is kept: those that fire for each token or piece of a prompt, and those that repeat the whole
 * conversation, which preGenerate has, too.
 */
const without: ReadonlySet<PointName> = new Set([
  "streamToken",
  "promptProgress",
  "contextAssemble",
  "contextBudget",
  "loopStart",
  "loopIteration",
  "preCompact",
]);

/** Priorities before and after all other hooks. Only guards run later; they change nothing. */
const first = -(2 ** 31);
const last = 2 ** 31 - 1;

/** Characters of one field, and of all fields that are kept. */
const mostOfField = 20_000;
const mostOfAll = 16_000_000;

/** Dispatches, each by its number. */
export class ValueStore {
  readonly #kept = new Map<number, Values & { readonly size: number }>();
  readonly #onCall: (link: CallLink) => void;
  readonly #raw: boolean;
  #size = 0;
  #lost = 0;

  /** `onCall` is called with the tool call that a dispatch is about. */
  constructor(raw: boolean, onCall: (link: CallLink) => void) {
    this.#raw = raw;
    this.#onCall = onCall;
  }

  /** The number of dispatches whose values were dropped because newer ones needed the room. */
  get lost(): number {
    return this.#lost;
  }

  get(seq: number): Values | undefined {
    return this.#kept.get(seq);
  }

  /** Observers: the engine waits for none of them. */
  hooks(): HookSet[] {
    const left = defineHooks(ownHookName, this.#handlers("left"), { priority: last, observe: true });
    if (!this.#raw) return [left];
    const options = { priority: first, observe: true, originalContext: true } as const;
    return [defineHooks(ownHookName, this.#handlers("before"), options), left];
  }

  #handlers(side: "left" | "before"): HookObservers {
    const keep = (event: AnyHookEvent): void => this.#keep(side, event);
    return Object.fromEntries(pointNames.filter((name) => !without.has(name)).map((name) => [name, keep]));
  }

  #keep(side: "left" | "before", event: AnyHookEvent): void {
    const { seq } = event.meta;
    const fields = fieldsOf(event);
    const size = sizeOf(fields);
    const there = this.#kept.get(seq);
    this.#size += size;
    this.#kept.set(seq, { point: event.point, ...there, [side]: fields, size: size + (there?.size ?? 0) });
    if (side === "left" && "toolCallId" in event && typeof event.toolCallId === "string" && "toolName" in event)
      this.#onCall({
        type: "call",
        seq,
        runId: event.meta.runId,
        toolCallId: event.toolCallId,
        toolName: String(event.toolName),
        ...(event.point === "postToolCall" && { resultKind: event.resultKind }),
      });
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size <= mostOfAll) break;
      this.#kept.delete(oldest);
      this.#size -= freed;
      this.#lost++;
    }
  }
}

function fieldsOf(event: AnyHookEvent): Fields {
  const fields: Record<string, Fields[string]> = {};
  for (const [name, value] of Object.entries(event)) {
    if (name === "meta" || name === "point" || name === "signal" || value === undefined) continue;
    fields[name] = bounded(value);
  }
  return fields;
}

/** A long list keeps its last items, which are the newest; another long text keeps its beginning. */
function bounded(value: unknown): Fields[string] {
  const text = JSON.stringify(value) ?? "null";
  if (text.length <= mostOfField) return text;
  if (!Array.isArray(value)) return { text: text.slice(0, mostOfField).toWellFormed(), length: text.length };
  const items: string[] = [];
  let room = mostOfField;
  for (const item of value.toReversed()) {
    const one = JSON.stringify(item) ?? "null";
    room -= one.length + 1;
    if (room < 0) break;
    items.unshift(one);
  }
  return { text: `[${items.join(",")}]`, length: text.length };
}

function sizeOf(fields: Fields): number {
  let size = 0;
  for (const [name, value] of Object.entries(fields))
    size += name.length + (typeof value === "string" ? value : value.text).length;
  return size;
}
