// Where output goes: results to stdout, everything else to stderr, colour and progress only on a terminal.
// Must not: know what is printed.
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** The two streams of the process, and where on the screen they are. */
export class Terminal {
  readonly #out = process.stdout;
  readonly #err = process.stderr;
  readonly #colour = process.stderr.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  /** Results stand in the middle of a line of the terminal that notes go to as well. */
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

  style(style: Style, text: string): string {
    return this.#colour ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Part of a result: stdout, as it is. */
  result(text: string): void {
    if (text === "") return;
    this.#clearProgress();
    this.#out.write(text);
    this.#midLine = !text.endsWith("\n");
  }

  /** Ends the line of a result. */
  endResult(): void {
    if (this.#midLine) this.#out.write("\n");
    this.#midLine = false;
  }

  /** One line beside the results: stderr, always at the beginning of a line. */
  note(line: string): void {
    this.#clearProgress();
    if (this.#midLine && this.#out.isTTY && this.#err.isTTY) {
      this.#err.write("\n");
      this.#midLine = false;
    }
    this.#err.write(`${line}\n`);
  }

  /** A line that the next one replaces. Only on a terminal. */
  progress(line: string): void {
    if (!this.#err.isTTY) return;
    this.#err.write(`\r\u001b[K${this.style("dim", line)}`);
    this.#progress = true;
  }

  #clearProgress(): void {
    if (this.#progress) this.#err.write("\r\u001b[K");
    this.#progress = false;
  }
}
