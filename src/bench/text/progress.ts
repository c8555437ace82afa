// Shows progress on stderr: a bar on a terminal; without a terminal nothing, or a line for each new part.
import { progress } from "@clack/prompts";

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

class Bar implements Progress {
  readonly #bar: ReturnType<typeof progress>;

  constructor(title: string, steps: number) {
    const size = Math.max(10, Math.min(24, (process.stderr.columns ?? 80) - 56));
    this.#bar = progress({
      output: process.stderr,
      max: steps,
      size,
      style: "heavy",
      indicator: "timer",
      withGuide: false,
    });
    process.prependListener("exit", interrupted);
    this.#bar.start(title);
  }

  say(part: string, detail: string): void {
    const room = 36 - part.length - 2;
    const short = detail.length > room ? `${detail.slice(0, room - 1)}…` : detail;
    this.#bar.message(`${part}  ${short}`);
  }

  advance(steps: number): void {
    this.#bar.advance(steps);
  }

  end(last: string, ok: boolean): void {
    process.removeListener("exit", interrupted);
    if (!ok) return this.#bar.cancel(last);
    this.#bar.stop(last);
    process.stderr.write("\n");
  }
}

/**
 * The bar reads the terminal's keys, and ends the process with exit code 0 on Ctrl-C or Escape; this sets the right
 * code.
 */
function interrupted(): void {
  process.exitCode = 130;
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
