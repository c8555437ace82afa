// The keyboard at the prompt of a chat and at questions, in raw mode. Separates pasted text from typed keys.
import { emitKeypressEvents, type Interface, type Key } from "node:readline";
import { Readable } from "node:stream";
import { canSuspend } from "../../base/platform-process.js";
import { withoutControls } from "../process/sanitize.js";
import { onSignalExit } from "../process/signal-cleanup.js";

/** Switches a mode ("bracketed paste") in which terminals enclose pasted text in two marks. */
const pasteMarks = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;
const knowsMarks = process.env["TERM"] !== "dumb";

/**
 * Changes the mode of the terminal only while the prompt waits, and restores it however the process ends or is
 * suspended.
 */
export class Keyboard {
  /** The typed keys, for readline. */
  readonly keys = new Readable({ read: () => undefined });
  readonly #onPaste: (text: string) => void;
  /** The part of a paste that has arrived; undefined outside a paste. */
  #pasted: string | undefined;
  /** Restores the terminal; undefined while the prompt does not wait. */
  #restore: (() => void) | undefined;
  #showAgain = (): void => undefined;
  /** Receives the keys in place of the reader; undefined: no question is open. */
  #onKey: ((key: Key) => void) | undefined;

  /** `onPaste` receives pasted text without control characters; its lines end with "\n". */
  constructor(onPaste: (text: string) => void) {
    this.#onPaste = onPaste;
  }

  /** `reader` must read `keys`. Without a reader the keys are for questions only. */
  attach(reader?: Interface): void {
    emitKeypressEvents(process.stdin, reader);
    process.stdin.on("keypress", (text: string | undefined, key: Key) => this.#key(text, key));
    process.stdin.on("end", () => this.keys.push(null));
    reader?.on("SIGTSTP", () => this.#suspend());
    this.#showAgain = () => reader?.prompt(true);
  }

  /** Sends the next keys to `onKey`, until it is undefined again. Pasted text is then ignored. */
  divert(onKey: ((key: Key) => void) | undefined): void {
    this.#onKey = onKey;
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
    if (!canSuspend || this.#restore === undefined) return;
    this.rest();
    // Returns when the process continues, or at once if no shell could continue it.
    process.kill(process.pid, "SIGTSTP");
    this.listen();
    this.#showAgain();
  }

  #key(text: string | undefined, key: Key): void {
    if (key.name === "paste-start") {
      this.#pasted = "";
    } else if (this.#pasted === undefined) {
      if (this.#onKey !== undefined) this.#onKey(key);
      else this.keys.emit("keypress", text, key);
    } else if (key.name === "paste-end") {
      const pasted = this.#pasted;
      this.#pasted = undefined;
      if (this.#onKey === undefined) this.#onPaste(withoutControls(pasted.replace(/\r\n?/g, "\n")));
    } else {
      this.#pasted += text ?? ""; // undefined for an escape sequence
    }
  }
}

function setTerminal(isRaw: boolean): void {
  process.stdin.setRawMode(isRaw);
  if (knowsMarks) process.stderr.write(isRaw ? pasteMarks.on : pasteMarks.off);
}
