// Combines lines of input into the messages of a chat.

/** A message to the model, or a command to the chat. */
export interface ChatMessage {
  readonly text: string;
  /** True if the message begins with `/` and is not a block. */
  readonly isCommand: boolean;
}

/** A line of input. */
export interface ChatLine {
  readonly text: string;
  /**
   * Set if the end of the line was pasted and not typed: "whole" if the entire line was pasted, "behind" if
   * pasted text follows typed text.
   */
  readonly pasted?: "whole" | "behind";
}

const mark = '"""';

/**
 * A line that ends with `\` continues in the next line. `"""` opens a block of lines, and `"""` at the end of a line
 * closes it. Pasted lines continue as well; the marks, and a `/` at the start, have no meaning in pasted text.
 */
export class MessageLines {
  #lines: string[] = [];
  #isBlock = false;
  /** True: the message begins with pasted lines. */
  #isPasted = false;

  /** True if the message needs more lines. */
  get isOpen(): boolean {
    return this.#isBlock || this.#lines.length > 0;
  }

  get isBlock(): boolean {
    return this.#isBlock;
  }

  /** Returns the message if the line completes it; undefined if the message continues. */
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

  /** Returns the lines of an incomplete message when the input ends. */
  end(): ChatMessage | undefined {
    return this.isOpen ? this.#take() : undefined;
  }

  #addToBlock(line: string, isFirst: boolean): ChatMessage | undefined {
    const closes = line.trimEnd().endsWith(mark);
    const text = closes ? line.trimEnd().slice(0, -mark.length) : line;
    // A mark may be alone on its line, which then adds no line to the text.
    if (text !== "" || !(isFirst || closes)) this.#lines.push(text);
    return closes ? this.#take() : undefined;
  }

  #addLine(line: string): ChatMessage | undefined {
    const continues = line.endsWith("\\");
    this.#lines.push(continues ? line.slice(0, -1) : line);
    return continues ? undefined : this.#take();
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
