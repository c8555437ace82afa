// Which tool calls have been shown, and what of the trace waits for that. Must not: print.

/** A call comes first, then its hooks, then its result: what hooks do is known before the call is shown, and waits here. */
export class CallLines {
  readonly #waiting = new Map<string, string[]>();
  readonly #shown = new Set<string>();
  /** Ended: what comes now is too late to wait. */
  readonly #ended = new Set<string>();

  /** False: nothing is going to show the call that could come before the lines. */
  hold(call: string, lines: readonly string[]): boolean {
    if (this.#ended.has(call)) return false;
    this.#waiting.set(call, [...(this.#waiting.get(call) ?? []), ...lines]);
    return true;
  }

  /** True the first time: the call is to be shown now. */
  shows(call: string): boolean {
    const isNew = !this.#shown.has(call);
    this.#shown.add(call);
    return isNew;
  }

  /** The lines that waited, which follow the call. */
  take(call: string): readonly string[] {
    const lines = this.#waiting.get(call) ?? [];
    this.#waiting.delete(call);
    return lines;
  }

  end(call: string): void {
    this.#ended.add(call);
  }

  /** What still waits when no call is going to be shown any more. */
  rest(): readonly string[] {
    const lines = [...this.#waiting.values()].flat();
    for (const one of [this.#waiting, this.#shown, this.#ended]) one.clear();
    return lines;
  }
}
