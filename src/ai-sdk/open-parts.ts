// The parts of a stream that are open, and what was streamed so far.
import { canonical } from "../base/canonical.js";
import type { GenerateEvent, GenerateResult, ToolCall } from "../index.js";
import { callsOf } from "./answer.js";
import { takenBack } from "./errors.js";
import type { StreamPart } from "./specification.js";

type Kind = "text" | "reasoning" | "tool-input";

/** Turns events to parts; one part is open at a time. */
export class OpenParts {
  #open: { readonly kind: Kind; readonly id: string } | undefined;
  #count = 0;
  readonly #streamed = { text: "", reasoning: "" };
  /** The arguments' JSON so far, by the id of the call. */
  readonly #calls = new Map<string, string>();

  /** The parts for one event of a live stream. */
  take(event: GenerateEvent): StreamPart[] {
    if (event.type === "toolCallDelta") return this.#callDelta(event.id, event.name, event.argsText);
    if (event.type !== "token" || event.kind === "tool_call") return [];
    return this.#delta(event.kind === "content" ? "text" : "reasoning", event.text);
  }

  /**
   * Returns the parts of the final answer that were not streamed yet. Errors: the final answer does not begin with the
   * streamed parts.
   */
  end(result: GenerateResult): StreamPart[] {
    const calls = callsOf(result);
    if (!this.#fits(result, calls)) throw takenBack(result.messages);
    return [
      ...this.#delta("reasoning", result.reasoning.slice(this.#streamed.reasoning.length)),
      ...this.#delta("text", result.text.slice(this.#streamed.text.length)),
      ...calls.flatMap((call) => this.#wholeCall(call)),
      ...this.close(),
    ];
  }

  /** Closes the open part. */
  close(): StreamPart[] {
    if (this.#open === undefined) return [];
    const { kind, id } = this.#open;
    this.#open = undefined;
    return [{ type: `${kind}-end`, id }];
  }

  /** Calls of an answer that a hook has stopped do not count: no reader was given a complete one. */
  #fits(result: GenerateResult, calls: readonly ToolCall[]): boolean {
    const { text, reasoning } = this.#streamed;
    if (!result.text.startsWith(text) || !result.reasoning.startsWith(reasoning)) return false;
    if ((result.cancel ?? result.halt) !== undefined) return true;
    const known = new Map(calls.map(({ id = "", args }) => [id, args]));
    const streamed = [...this.#calls];
    // The limit of tokens cuts off the last call.
    if (result.finishReason === "length" && calls.length < streamed.length) streamed.pop();
    return streamed.every(([id, written]) => known.has(id) && saysSame(written, known.get(id)));
  }

  #delta(kind: "text" | "reasoning", delta: string): StreamPart[] {
    if (delta === "") return [];
    this.#streamed[kind] += delta;
    const before: StreamPart[] = [];
    if (this.#open?.kind !== kind) {
      before.push(...this.close());
      this.#open = { kind, id: String(this.#count++) };
      before.push({ type: `${kind}-start`, id: this.#open.id });
    }
    return [...before, { type: `${kind}-delta`, id: this.#open.id, delta }];
  }

  #callDelta(id: string, toolName: string, delta: string): StreamPart[] {
    const parts: StreamPart[] = [];
    if (!this.#calls.has(id)) {
      parts.push(...this.close(), { type: "tool-input-start", id, toolName });
      this.#open = { kind: "tool-input", id };
    }
    this.#calls.set(id, (this.#calls.get(id) ?? "") + delta);
    if (delta !== "") parts.push({ type: "tool-input-delta", id, delta });
    return parts;
  }

  #wholeCall({ id = "", name, args }: ToolCall): StreamPart[] {
    const input = JSON.stringify(args);
    const streamed = this.#calls.has(id) ? [] : this.#callDelta(id, name, input);
    return [...streamed, ...this.close(), { type: "tool-call", toolCallId: id, toolName: name, input }];
  }
}

function saysSame(json: string, args: unknown): boolean {
  try {
    return canonical(JSON.parse(json)) === canonical(args);
  } catch {
    return false;
  }
}
