// The items of recent answers, to which a later request may refer (`item_reference`).
import type { Caller } from "../http/callers.js";

/** Maximum of the JSON that is kept for a caller, in bytes of UTF-8. Without API keys, all clients are one caller. */
const maxBytes = 8 * 2 ** 20;

/** The items of one caller. The oldest are dropped first. */
export class RecentItems {
  /** JSON in UTF-8, by id. */
  readonly #items = new Map<string, Buffer>();
  #bytes = 0;

  keep(items: readonly object[]): void {
    for (const item of items) {
      const text = Buffer.from(JSON.stringify(item));
      this.#items.set((item as { readonly id: string }).id, text);
      this.#bytes += text.length;
    }
    for (const [id, text] of this.#items) {
      if (this.#bytes <= maxBytes) break;
      this.#items.delete(id);
      this.#bytes -= text.length;
    }
  }

  /** Undefined: no recent answer had it. */
  find(id: string): unknown {
    const text = this.#items.get(id);
    return text === undefined ? undefined : (JSON.parse(text.toString()) as unknown);
  }
}

const byCaller = new WeakMap<Caller, RecentItems>();

/** The items of a caller: no other caller can refer to them. */
export function recentItemsOf(caller: Caller): RecentItems {
  const known = byCaller.get(caller) ?? new RecentItems();
  byCaller.set(caller, known);
  return known;
}
