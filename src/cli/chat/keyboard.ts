// The keyboard at the prompt of a chat: raw, with what is pasted told apart from what is typed. Must not: edit lines.
import { emitKeypressEvents, type Interface, type Key } from "node:readline";
import { Readable } from "node:stream";
import { onSignalExit } from "../process/signal-cleanup.js";

/** Terminals put what is pasted between two marks while this is on ("bracketed paste"). */
const pasteMarks = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;
const knowsMarks = process.env["TERM"] !== "dumb";

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** While nobody listens the terminal is as it was found, however the process ends or is suspended. */
export class Keyboard {
  /** For readline: the keys that were typed. */
  readonly keys = new Readable({ read: () => undefined });
  readonly #onPaste: (text: string) => void;
  /** What has come of a paste; undefined outside one. */
  #pasted: string | undefined;
  /** Undefined: nobody listens. */
  #restore: (() => void) | undefined;
  #showAgain = (): void => undefined;

  /** `onPaste` is told what was pasted, without control characters; its lines end with "\n". */
  constructor(onPaste: (text: string) => void) {
    this.#onPaste = onPaste;
  }

  /** `reader` reads `keys`. */
  attach(reader: Interface): void {
    emitKeypressEvents(process.stdin, reader);
    process.stdin.on("keypress", (text: string | undefined, key: Key) => this.#key(text, key));
    process.stdin.on("end", () => this.keys.push(null));
    reader.on("SIGTSTP", () => this.#suspend());
    this.#showAgain = () => reader.prompt(true);
  }

  listen(): void {
    process.stdin.resume();
    if (this.#restore !== undefined) return;
    setTerminal(true);
    const suspend = (): void => this.#suspend();
    const atExit = (): void => setTerminal(false);
    const forget = onSignalExit(atExit);
    process.once("exit", atExit);
    process.once("SIGTSTP", suspend);
    this.#restore = () => {
      forget();
      process.off("exit", atExit);
      process.off("SIGTSTP", suspend);
      setTerminal(false);
    };
  }

  rest(): void {
    process.stdin.pause();
    this.#restore?.();
    this.#restore = undefined;
  }

  #suspend(): void {
    if (process.platform === "win32" || this.#restore === undefined) return;
    this.rest();
    process.kill(process.pid, "SIGTSTP"); // it is over when the process goes on, or at once where nobody could have it go on
    this.listen();
    this.#showAgain();
  }

  #key(text: string | undefined, key: Key): void {
    if (key.name === "paste-start") {
      this.#pasted = "";
    } else if (this.#pasted === undefined) {
      this.keys.emit("keypress", text, key);
    } else if (key.name === "paste-end") {
      const pasted = this.#pasted;
      this.#pasted = undefined;
      this.#onPaste(pasted.replace(/\r\n?/g, "\n").replace(controls, ""));
    } else {
      this.#pasted += text ?? ""; // none: an escape sequence
    }
  }
}

function setTerminal(isRaw: boolean): void {
  process.stdin.setRawMode(isRaw);
  if (knowsMarks) process.stderr.write(isRaw ? pasteMarks.on : pasteMarks.off);
}
