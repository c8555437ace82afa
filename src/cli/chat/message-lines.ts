// From lines to messages of a chat. Must not: read them anywhere.

/** What was typed: to the model, or to the chat itself. */
export interface ChatMessage {
  readonly text: string;
  /** It begins with `/`, and not within a block. */
  readonly isCommand: boolean;
}

/** A line of input. */
export interface ChatLine {
  readonly text: string;
  /** Its end was pasted, and no key: with all of it ("whole"), or "behind" what was typed. */
  readonly pasted?: "whole" | "behind";
}

const mark = '"""';

/**
 * A line that ends with `\` goes on in the next one; `"""` opens a block of lines, and `"""` at the end of one closes it. What
 * was pasted goes on as well, and neither mark, nor a `/` at its beginning, means anything in it.
 */
export class MessageLines {
  #lines: string[] = [];
  #isBlock = false;
  /** It begins with lines that were pasted. */
  #isPasted = false;

  /** More lines belong to the message. */
  get isOpen(): boolean {
    return this.#isBlock || this.#lines.length > 0;
  }

  get isBlock(): boolean {
    return this.#isBlock;
  }

  /** The message that the line completes; undefined when it goes on. */
  add({ text, pasted }: ChatLine): ChatMessage | undefined {
    const isFirst = !this.isOpen;
    const opens = isFirst && pasted !== "whole" && text.trimStart().startsWith(mark);
    if (opens) this.#isBlock = true;
    const rest = opens ? text.trimStart().slice(mark.length) : text;
    if (pasted === undefined) return this.#isBlock ? this.#addToBlock(rest, opens) : this.#addLine(rest);
    if (isFirst && pasted === "whole") this.#isPasted = true;
    if (rest !== "" || !opens) this.#lines.push(rest);
    return undefined;
  }

  /** The lines of a message that nothing completes any more. */
  end(): ChatMessage | undefined {
    return this.isOpen ? this.#take() : undefined;
  }

  #addToBlock(line: string, isFirst: boolean): ChatMessage | undefined {
    const closes = line.trimEnd().endsWith(mark);
    const text = closes ? line.trimEnd().slice(0, -mark.length) : line;
    // The marks may stand on lines of their own, which are no part of the text.
    if (text !== "" || !(isFirst || closes)) this.#lines.push(text);
    return closes ? this.#take() : undefined;
  }

  #addLine(line: string): ChatMessage | undefined {
    const goesOn = line.endsWith("\\");
    this.#lines.push(goesOn ? line.slice(0, -1) : line);
    return goesOn ? undefined : this.#take();
  }

  #take(): ChatMessage {
    const text = this.#lines.join("\n");
    const isQuoted = this.#isBlock || (this.#isPasted && text.trim().includes("\n"));
    const isCommand = !isQuoted && text.startsWith("/");
    this.#lines = [];
    this.#isBlock = this.#isPasted = false;
    return { text, isCommand };
  }
}
