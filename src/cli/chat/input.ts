// Reads the lines of a chat: from a terminal, with a prompt, editing and history, or from a pipe.
import { createInterface, clearLine, cursorTo, type Interface } from "node:readline";
import { type ChatLine, MessageLines, type ChatMessage } from "./message-lines.js";
import { Keyboard } from "./keyboard.js";
import type { Terminal } from "../process/terminal.js";

/** The reason for the end of the messages: the input ended, it ended within a block, or the user interrupted it. */
export type InputEnd = "end" | "unfinished" | "interrupted";

/**
 * Between messages the terminal is in its original mode: ctrl-C is a signal, and typed text waits for the next prompt.
 * The caller must close the input in every case.
 */
export class ChatInput {
  /** True: input and messages are on a terminal. */
  readonly isInteractive = process.stdin.isTTY && process.stderr.isTTY;
  readonly #terminal: Terminal;
  readonly #reader: Interface;
  readonly #keyboard = new Keyboard((text) => this.#paste(text));
  readonly #lines: ChatLine[] = [];
  #message = new MessageLines();
  #isClosed = false;
  #isAsking = false;
  /** True: the last key was ctrl-C. */
  #wasInterrupted = false;
  /** The value of `pasted` for the next line. */
  #pasted: ChatLine["pasted"];
  #wake = (): void => undefined;

  constructor(terminal: Terminal, words: readonly string[]) {
    this.#terminal = terminal;
    this.#reader = createInterface({
      historySize: 1000,
      ...(this.isInteractive
        ? { input: this.#keyboard.keys, output: process.stderr, terminal: true, completer: completerOf(words) }
        : { input: process.stdin, crlfDelay: Infinity }),
    });
    if (this.isInteractive) this.#keyboard.attach(this.#reader);
    this.#reader.on("line", (text) => {
      this.#wasInterrupted = false;
      const line = { text, ...(this.#pasted && { pasted: this.#pasted }) };
      // A pasted line completes no message: no reader wakes, and the terminal stays in raw mode.
      if (line.pasted !== undefined && this.#lines.length === 0) return void this.#message.add(line);
      this.#lines.push(line);
      this.#wake();
    });
    this.#reader.on("close", () => {
      if (this.#isAsking && this.isInteractive) process.stderr.write("\n"); // ends the line of the prompt
      this.#isClosed = true;
      this.#rest();
      this.#wake();
    });
    this.#reader.on("SIGINT", () => this.#interrupt());
    this.#rest();
  }

  /** Returns the next message, which may be empty. The signal ends the wait. */
  async next(signal: AbortSignal): Promise<ChatMessage | InputEnd> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        const message = this.#message.add(line);
        if (message !== undefined) return message;
      } else if (this.#isClosed) {
        return this.#message.isBlock ? "unfinished" : (this.#message.end() ?? "end");
      } else if (signal.aborted) {
        // The user meant to interrupt the answer, which has just ended. Treat it as ctrl-C at the prompt.
        if (this.isInteractive) this.#interrupt();
        return "interrupted";
      } else {
        await this.#more(signal);
      }
    }
  }

  /** The keyboard for questions while an answer is written; only if the input is interactive. */
  get keyboard(): Keyboard {
    return this.#keyboard;
  }

  /** Prints above the prompt if one is waiting. */
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

  /** Waits for a line, the end of the input, or the signal. */
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
    this.#keyboard.listen();
    this.#prompt(this.#message.isOpen);
  }

  #prompt(isOpen: boolean): void {
    this.#reader.setPrompt(this.#terminal.style("bold", isOpen ? "...    " : "you    "));
    this.#reader.prompt(true); // keeps text that was typed during the answer
  }

  #rest(): void {
    this.#isAsking = false;
    if (this.isInteractive) this.#keyboard.rest();
    else if (!this.#isClosed) this.#reader.pause();
  }

  /** Inserts the text as if it were typed, except that its line ends do not send the message. */
  #paste(text: string): void {
    const { line, cursor } = this.#reader;
    const [first = "", ...more] = text.split("\n");
    // Cuts the text behind the cursor; it returns after the last line.
    if (more.length > 0) this.#reader.write(null, { ctrl: true, name: "k" });
    this.#reader.write(first);
    for (const [index, one] of more.entries()) {
      this.#pasted = index === 0 && cursor > 0 ? "behind" : "whole";
      this.#reader.write(null, { name: "return" });
      this.#pasted = undefined;
      this.#prompt(true);
      this.#reader.write(one);
    }
    if (more.length > 0) this.#reader.write(line.slice(cursor));
  }

  /** Handles ctrl-C at the prompt: the first clears the message, a second one in a row leaves the chat. */
  #interrupt(): void {
    const wasEmpty = this.#reader.line === "" && !this.#message.isOpen;
    if (this.#wasInterrupted && wasEmpty) return this.#reader.close();
    this.#wasInterrupted = true;
    this.#message = new MessageLines();
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
    if (wasEmpty)
      this.above(() =>
        this.#terminal.note(this.#terminal.style("dim", "ctrl-C again, ctrl-D or /exit leaves the chat")),
      );
    else this.#ask();
  }
}

/** Completes the first word of a line and adds a space. */
function completerOf(words: readonly string[]): (line: string) => [string[], string] {
  return (line) => [
    line.startsWith("/") ? words.filter((word) => word.startsWith(line)).map((word) => `${word} `) : [],
    line,
  ];
}
