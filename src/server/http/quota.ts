// Limits of requests at once and of tokens a minute.
import { tooMany } from "./api-error.js";

/** Counts requests that are under way. */
export class Slots {
  readonly #most: number;
  readonly #code: string;
  #taken = 0;

  constructor(most: number, code: string) {
    this.#most = most;
    this.#code = code;
  }

  /** Takes a slot and returns the function that gives it back. Errors: 429 if none is free. */
  take(): () => void {
    if (this.#taken >= this.#most) throw tooMany(`Too many requests at once: at most ${this.#most}`, this.#code, 1);
    this.#taken++;
    let given = false;
    return () => {
      if (!given) this.#taken--;
      given = true;
    };
  }
}

/**
 * A budget of tokens that refills evenly, up to that of one minute. A request is accepted while the budget is above
 * what requests under way have set aside. It is charged when it ends, because its cost is unknown before; the budget
 * may then be below zero for a while.
 */
export class TokenBudget {
  readonly #perMinute: number;
  #left: number;
  #reserved = 0;
  #at = performance.now();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
  }

  /** Errors: 429 with the seconds until something is left; 1 if requests under way have set it aside. */
  check(): void {
    this.#refill();
    if (this.#left > this.#reserved) return;
    const seconds = this.#left > 0 ? 1 : (1 - this.#left) / (this.#perMinute / 60);
    throw tooMany(`This key may use ${this.#perMinute} tokens a minute`, "tokens_exceeded", seconds);
  }

  /**
   * Sets tokens aside, and returns the function that gives them back. The first of the requests at once may need more
   * than is left, because it would never be let in otherwise. Errors: those of `check()`.
   */
  reserve(tokens: number): () => void {
    this.check();
    this.#reserved += tokens;
    let given = false;
    return () => {
      if (!given) this.#reserved -= tokens;
      given = true;
    };
  }

  pay(tokens: number): void {
    this.#refill();
    this.#left -= tokens;
  }

  #refill(): void {
    const now = performance.now();
    this.#left = Math.min(this.#perMinute, this.#left + ((now - this.#at) / 60_000) * this.#perMinute);
    this.#at = now;
  }
}
