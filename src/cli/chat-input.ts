// Where the lines of a chat come from: a terminal, with a prompt, editing and history, or a pipe. Must not: know what
// they mean.
import { createInterface, clearLine, cursorTo, type Interface } from "node:readline";
import { ChatLines, type ChatMessage } from "./chat-lines.js";
import { onEndBySignal } from "./ended-by-signal.js";
import type { Terminal } from "./terminal.js";

/** Nothing more comes: the input is at its end, in the middle of a block, or the user has interrupted it. */
export type InputEnd = "end" | "unfinished" | "interrupted";

/**
 * Between messages the terminal is as it was found: what interrupts is a signal then, and what is typed waits for the next
 * prompt. Close it, whatever happens.
 */
export class ChatInput {
  /** There is somebody to ask. */
  readonly isInteractive = process.stdin.isTTY && process.stderr.isTTY;
  readonly #terminal: Terminal;
  readonly #reader: Interface;
  readonly #lines: string[] = [];
  #message = new ChatLines();
  #isClosed = false;
  #isAsking = false;
  /** The last key was an interrupt. */
  #wasInterrupted = false;
  #wake = (): void => undefined;
  /** At the prompt the terminal is raw, and must not stay so. */
  #forgetRaw = (): void => undefined;

  constructor(terminal: Terminal, words: readonly string[]) {
    this.#terminal = terminal;
    this.#reader = createInterface({
      input: process.stdin,
      historySize: 1000,
      ...(this.isInteractive && { output: process.stderr, terminal: true, completer: completerOf(words) }),
    });
    this.#reader.on("line", (line) => {
      this.#lines.push(line);
      this.#wasInterrupted = false;
      this.#wake();
    });
    this.#reader.on("close", () => {
      if (this.#isAsking && this.isInteractive) process.stderr.write("\n"); // ends the line of the prompt
      this.#isClosed = true;
      this.#isAsking = false;
      this.#forgetRaw();
      this.#wake();
    });
    this.#reader.on("SIGINT", () => this.#interrupt());
    this.#rest();
  }

  /** The next message, which may be empty. The signal ends the wait for it. */
  async next(signal: AbortSignal): Promise<ChatMessage | InputEnd> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        const message = this.#message.add(line);
        if (message !== undefined) return message;
      } else if (this.#isClosed) {
        return this.#message.isBlock ? "unfinished" : (this.#message.end() ?? "end");
      } else if (signal.aborted) {
        // On a terminal it was meant for the answer, which has just ended: it is as good as one at the prompt.
        if (this.isInteractive) this.#interrupt();
        return "interrupted";
      } else {
        await this.#more(signal);
      }
    }
  }

  /** Prints beside a prompt that may be waiting: above it. */
  above(print: () => void): void {
    if (!this.#isAsking || !this.isInteractive) return print();
    cursorTo(process.stderr, 0);
    clearLine(process.stderr, 0);
    print();
    this.#reader.prompt(true);
  }

  close(): void {
    this.#reader.close();
  }

  /** Waits until a line or an end has come. */
  async #more(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    signal.addEventListener("abort", this.#wake);
    this.#ask();
    await woken;
    signal.removeEventListener("abort", this.#wake);
    this.#rest();
  }

  #ask(): void {
    this.#isAsking = true;
    if (!this.isInteractive) {
      this.#reader.resume();
      return;
    }
    this.#setRaw(true);
    this.#reader.setPrompt(this.#terminal.style("bold", this.#message.isOpen ? "...    " : "you    "));
    this.#reader.prompt(true); // what was typed during the answer may stand there already
  }

  #rest(): void {
    this.#isAsking = false;
    if (this.#isClosed) return;
    this.#reader.pause();
    if (this.isInteractive) this.#setRaw(false);
  }

  #setRaw(on: boolean): void {
    this.#forgetRaw();
    process.stdin.setRawMode(on);
    if (on) this.#forgetRaw = onEndBySignal(() => process.stdin.setRawMode(false));
  }

  /** Of the keyboard, at the prompt: the first clears what was typed, a second one in a row leaves. */
  #interrupt(): void {
    const wasEmpty = this.#reader.line === "" && !this.#message.isOpen;
    if (this.#wasInterrupted && wasEmpty) return this.#reader.close();
    this.#wasInterrupted = true;
    this.#message = new ChatLines();
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
    if (wasEmpty)
      this.above(() => this.#terminal.note(this.#terminal.style("dim", "once more, ctrl-D or /exit: leave")));
    else this.#ask();
  }
}

/** Completes the first word of a line, with the space behind it. */
function completerOf(words: readonly string[]): (line: string) => [string[], string] {
  return (line) => [
    line.startsWith("/") ? words.filter((word) => word.startsWith(line)).map((word) => `${word} `) : [],
    line,
  ];
}
