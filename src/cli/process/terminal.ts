// Writes output: results to stdout, everything else to stderr; colour and progress only on a terminal.
import { fstatSync } from "node:fs";
import { type Paint, paintFor } from "../../base/paint.js";
import { sanitize } from "./sanitize.js";

/** The columns for text on a stream: those of its terminal, at most 120; 80 without a terminal. */
export function columnsOf({ columns }: { readonly columns?: number }): number {
  return Math.max(20, Math.min(columns ?? 80, 120));
}

/** The two streams of the process, and the state of the current line. */
export class Terminal {
  readonly #out = process.stdout;
  readonly #err = process.stderr;
  /** Colours a part of a note. */
  readonly style: Paint = paintFor(process.stderr);
  /** True: notes and results go to the same place, which is one terminal, or one file after `2>&1`. */
  readonly #together = bothInOnePlace();
  /** True: the last result ended in the middle of a line. */
  #midLine = false;
  #progress = false;

  /** The number of columns for a note. */
  get columns(): number {
    return Math.max(40, columnsOf(this.#err));
  }

  /** The number of columns for a result. */
  get resultColumns(): number {
    return columnsOf(this.#out);
  }

  /** True if progress lines can be replaced. */
  get isInteractive(): boolean {
    return this.#err.isTTY;
  }

  /** True if the reader of the results also sees the notes below them, so that a note can correct a result. */
  get canCorrect(): boolean {
    return this.#out.isTTY && this.#err.isTTY;
  }

  /** Writes a part of a result to stdout: unchanged, or sanitized on a terminal. */
  result(text: string): void {
    if (text === "") return;
    this.#clearProgress();
    this.#out.write(this.#out.isTTY ? sanitize(text) : text);
    this.#midLine = !text.endsWith("\n");
  }

  /** Ends the line of a result. */
  endResult(): void {
    if (this.#midLine) this.#out.write("\n");
    this.#midLine = false;
  }

  /** Writes a line to stderr, always at the start of a line. The caller sanitizes text from outside. */
  note(line: string): void {
    this.#clearProgress();
    if (this.#midLine && this.#together) {
      this.#err.write("\n");
      this.#midLine = false;
    }
    this.#err.write(`${line}\n`);
  }

  /** Writes a line that the next output replaces. Does nothing off a terminal. */
  progress(line: string): void {
    if (!this.#err.isTTY) return;
    const short = line.slice(0, this.columns - 1); // a line that wraps cannot be replaced
    this.#err.write(`\r\u001b[K${this.style("dim", short)}`);
    this.#progress = true;
  }

  #clearProgress(): void {
    if (this.#progress) this.#err.write("\r\u001b[K");
    this.#progress = false;
  }
}

function bothInOnePlace(): boolean {
  if (process.stdout.isTTY && process.stderr.isTTY) return true;
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.ino !== 0 && out.ino === err.ino && out.dev === err.dev;
  } catch {
    return false; // one of them is closed
  }
}
