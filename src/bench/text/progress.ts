// Shows progress on stderr: a bar on a terminal; without a terminal nothing, or a line for each new part.
import { paintFor } from "../../base/paint.js";

export interface Progress {
  /** Shows the current part and its detail. */
  say(part: string, detail: string): void;
  advance(steps: number): void;
  /** Shows that the run has ended, successfully or not. */
  end(last: string, ok: boolean): void;
}

/** Shows the progress of a fixed number of steps. Without a terminal, parts are shown only if `lines` is true. */
export function startProgress(title: string, steps: number, { lines = false } = {}): Progress {
  if (process.stderr.isTTY) return new Bar(title, steps);
  return lines ? new Lines(steps) : { say: () => {}, advance: () => {}, end: () => {} };
}

/** A line that is written again and again in place: a turning sign, the bar, the current part and the time. */
class Bar implements Progress {
  readonly #steps: number;
  readonly #begin = performance.now();
  readonly #paint = paintFor(process.stderr);
  // Seldom: what is measured meanwhile shall not notice it.
  readonly #timer = setInterval(() => this.#draw(), 250).unref();
  #done = 0;
  #text: string;

  constructor(title: string, steps: number) {
    this.#steps = steps;
    this.#text = title;
    this.#draw();
  }

  say(part: string, detail: string): void {
    this.#text = `${part}  ${detail}`;
    this.#draw();
  }

  advance(steps: number): void {
    this.#done += steps;
    this.#draw();
  }

  end(last: string, ok: boolean): void {
    clearInterval(this.#timer);
    const sign = ok ? this.#paint("green", "◇") : this.#paint("red", "■");
    process.stderr.write(`\r${sign}  ${last}${this.#time()}\u001b[K\n${ok ? "\n" : ""}`);
  }

  #time(): string {
    const seconds = Math.floor((performance.now() - this.#begin) / 1000);
    return seconds < 60 ? ` [${seconds}s]` : ` [${Math.floor(seconds / 60)}m ${seconds % 60}s]`;
  }

  #draw(): void {
    const columns = process.stderr.columns || 80;
    const size = Math.max(10, Math.min(24, columns - 56));
    const full = Math.min(size, Math.round((size * this.#done) / this.#steps));
    const turning = "◒◐◓◑".charAt(Math.floor((performance.now() - this.#begin) / 250) % 4);
    const bar = this.#paint("magenta", "━".repeat(full)) + this.#paint("dim", "━".repeat(size - full));
    const time = this.#time();
    const room = Math.max(1, Math.min(36, columns - size - time.length - 5));
    const text = this.#text.length > room ? `${this.#text.slice(0, room - 1)}…` : this.#text;
    process.stderr.write(`\r${this.#paint("magenta", turning)}  ${bar} ${text}${time}\u001b[K`);
  }
}

class Lines implements Progress {
  readonly #steps: number;
  readonly #begin = performance.now();
  #done = 0;
  #part = "";

  constructor(steps: number) {
    this.#steps = steps;
  }

  say(part: string): void {
    if (part === this.#part) return;
    this.#part = part;
    const seconds = Math.round((performance.now() - this.#begin) / 1000);
    process.stderr.write(`[${seconds} s, ${this.#done} of ${this.#steps}] ${part}\n`);
  }

  advance(steps: number): void {
    this.#done += steps;
  }

  end(last: string): void {
    process.stderr.write(`${last}\n`);
  }
}
