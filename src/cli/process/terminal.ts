// Where output goes: results to stdout, everything else to stderr, colour and progress only on a terminal.
// Must not: know what is printed.
import { fstatSync } from "node:fs";
import { type Paint, paintFor } from "../../base/paint.js";
import { sanitize } from "./sanitize.js";

/** The two streams of the process, and where on the screen they are. */
export class Terminal {
  readonly #out = process.stdout;
  readonly #err = process.stderr;
  /** Colours a part of a note. */
  readonly style: Paint = paintFor(process.stderr);
  /** Notes come to stand among the results: on one terminal, or after `2>&1`. */
  readonly #together = bothInOnePlace();
  /** Results stand in the middle of a line of the place that notes go to as well. */
  #midLine = false;
  #progress = false;

  /** Columns that a note may take. */
  get columns(): number {
    return Math.max(40, Math.min(this.#err.columns ?? 80, 120));
  }

  /** Lines can be replaced. */
  get isInteractive(): boolean {
    return this.#err.isTTY;
  }

  /** Whoever reads the results sees the notes below them: what was shown can be corrected. */
  get canCorrect(): boolean {
    return this.#out.isTTY && this.#err.isTTY;
  }

  /** Part of a result: stdout, as it is; on a terminal without what the terminal would obey. */
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

  /** One line beside the results: stderr, always at the beginning of a line. What others wrote in it is to be harmless. */
  note(line: string): void {
    this.#clearProgress();
    if (this.#midLine && this.#together) {
      this.#err.write("\n");
      this.#midLine = false;
    }
    this.#err.write(`${line}\n`);
  }

  /** A line that the next one replaces. Only on a terminal. */
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
    return false; // one of them was closed
  }
}
