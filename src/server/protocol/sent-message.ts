// Keeps the sent parts of a message, and finds the parts still to be sent when the final message differs.
import type { GenerateResult } from "../../index.js";

type Calls = GenerateResult["toolCalls"];

/** A message as it is now. */
export interface Message {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: Calls;
}

interface SentCall {
  readonly id: string;
  readonly name: string;
  args: string;
}

/** The parts of a message that have gone out. */
export class SentMessage {
  #text = "";
  #reasoning = "";
  readonly #calls: SentCall[] = [];

  add(kind: "content" | "reasoning", text: string): void {
    if (kind === "content") this.#text += text;
    else this.#reasoning += text;
  }

  /** Returns true for the first piece of a call. */
  addCall(index: number, { id, name }: { readonly id: string; readonly name: string }, args: string): boolean {
    const sent = this.#calls[index];
    if (sent === undefined) this.#calls[index] = { id, name, args };
    else sent.args += args;
    return sent === undefined;
  }

  /** True if the message equals the sent parts except for its last call, which the limit of tokens has cut off. */
  isCutOff({ text, reasoning, toolCalls }: Message): boolean {
    const whole = this.#calls.slice(0, -1);
    return (
      text === this.#text &&
      reasoning === this.#reasoning &&
      toolCalls.length === whole.length &&
      whole.every((sent, index) => isSame(sent, toolCalls[index]))
    );
  }

  /**
   * Returns the parts that complete what was sent to this message; undefined: the message does not begin with what was
   * sent.
   */
  missingOf({ text, reasoning, toolCalls }: Message): Message | undefined {
    const begun = this.#calls.every((sent, index) => isSame(sent, toolCalls[index]));
    if (!begun || !text.startsWith(this.#text) || !reasoning.startsWith(this.#reasoning)) return undefined;
    return {
      text: text.slice(this.#text.length),
      reasoning: reasoning.slice(this.#reasoning.length),
      toolCalls: toolCalls.slice(this.#calls.length),
    };
  }
}

/** A call whose arguments are not complete is another one, because spellings of JSON differ. */
function isSame({ id, name, args }: SentCall, call: Calls[number] | undefined): boolean {
  if (call === undefined || call.id !== id || call.name !== name) return false;
  try {
    return JSON.stringify(JSON.parse(args)) === JSON.stringify(call.args);
  } catch {
    return false;
  }
}
