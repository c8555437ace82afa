// Streams the text of an answer while it is written, without reasoning and tool calls. Must not: repeat a text.

/** The events that matter here, of a model call or a run. */
type TextEvent =
  | { readonly type: "start"; readonly depth?: number }
  | { readonly type: "token"; readonly kind: string; readonly text: string; readonly depth?: number }
  | { readonly type: "replaced"; readonly text: string; readonly depth?: number }
  | { readonly type: "end"; readonly result: { readonly text: string } };

const between = "\n\n";

/** The pieces of one text that consists of messages. The last message may still be replaced. */
class Pieces {
  /** The text of the message that has been streamed so far. */
  #given = "";
  #isFirst = true;

  begin(): void {
    this.#isFirst &&= this.#given === "";
    this.#given = "";
  }

  add(text: string): string {
    if (text === "") return "";
    const before = this.#given === "" && !this.#isFirst ? between : "";
    this.#given += text;
    return before + text;
  }

  /**
   * Sets the whole text of the message. Streamed text cannot be taken back: if it differs, the whole new text follows.
   */
  settle(text: string): string {
    if (text.startsWith(this.#given)) return this.add(text.slice(this.#given.length));
    if (this.#given.trim() === text.trim()) return "";
    this.begin();
    return this.add(text);
  }
}

/** The texts of the answer, none of them empty. Leaving the iteration, even unbegun, also leaves that of `events`. */
export function textsOf(events: AsyncIterableIterator<unknown>): AsyncGenerator<string, void, undefined> {
  return new Texts(events as AsyncIterableIterator<TextEvent>);
}

// return() of a generator that has not begun runs none of its code: `events` would keep its reader.
class Texts implements AsyncGenerator<string, void, undefined> {
  readonly #events: AsyncIterableIterator<TextEvent>;
  readonly #texts: AsyncGenerator<string, void, undefined>;

  constructor(events: AsyncIterableIterator<TextEvent>) {
    this.#events = events;
    this.#texts = readTexts(events);
  }

  next(): Promise<IteratorResult<string, void>> {
    return this.#texts.next();
  }

  async return(): Promise<IteratorResult<string, void>> {
    await this.#events.return?.();
    return this.#texts.return();
  }

  async throw(error: unknown): Promise<IteratorResult<string, void>> {
    await this.#events.return?.();
    return this.#texts.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

async function* readTexts(events: AsyncIterable<TextEvent>): AsyncGenerator<string, void, undefined> {
  const pieces = new Pieces();
  for await (const event of events) {
    const text = textOf(event, pieces);
    if (text !== "") yield text;
  }
}

function textOf(event: TextEvent, pieces: Pieces): string {
  if (event.type === "end") return event.result.text === "" ? "" : pieces.settle(event.result.text);
  if ((event.depth ?? 0) > 0) return "";
  if (event.type === "token") return event.kind === "content" ? pieces.add(event.text) : "";
  if (event.type === "replaced") return pieces.settle(event.text);
  if (event.type === "start") pieces.begin();
  return "";
}
