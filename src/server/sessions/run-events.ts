// The events of a run and the questions of its session as one iteration. Must not: read the run ahead of its reader, so
// that a slow reader slows the run down.
import type { Run, RunEvent } from "../../index.js";
import type { Question, QuestionEvent } from "../../ready-hooks/index.js";
import type { QuestionList } from "./session-questions.js";

/** An event of a stream. */
export type StreamEvent =
  | RunEvent
  | { readonly type: "question"; readonly question: Question }
  | { readonly type: "questionSettled"; readonly id: string; readonly by: string };

type Next = IteratorResult<StreamEvent, undefined>;

interface Waiting {
  resolve(next: Next): void;
  reject(error: unknown): void;
}

/** Iterates over both. Leaving it cancels the run. */
export class RunEvents implements AsyncIterator<StreamEvent> {
  readonly #run: AsyncIterator<RunEvent>;
  readonly #following: Disposable;
  /** Bounded: a session has few open questions. */
  readonly #told: StreamEvent[] = [];
  /** The item that the run gave while its reader was busy with a question. */
  #held: Next | { readonly error: unknown } | undefined;
  #waiting: Waiting | undefined;
  #isAsked = false;

  constructor(run: Run, list: QuestionList) {
    this.#run = run[Symbol.asyncIterator]();
    this.#following = list.on((event) => this.#tell(eventOf(event)));
  }

  next(): Promise<Next> {
    const event = this.#told.shift();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return "error" in held ? Promise.reject(held.error) : Promise.resolve(held);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#ask();
    });
  }

  return(): Promise<Next> {
    this.#following[Symbol.dispose]();
    void this.#run.return?.();
    this.#waiting?.resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#run.next().then(
      (item) => {
        this.#isAsked = false;
        if (item.done === true) this.#following[Symbol.dispose]();
        this.#pass(item as Next);
      },
      (error: unknown) => {
        this.#following[Symbol.dispose]();
        this.#pass({ error });
      },
    );
  }

  #pass(got: Next | { readonly error: unknown }): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#held = got;
    else if ("error" in got) waiting.reject(got.error);
    else waiting.resolve(got);
  }

  #tell(value: StreamEvent): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#told.push(value);
    else waiting.resolve({ value, done: false });
  }
}

function eventOf(event: QuestionEvent): StreamEvent {
  const { question } = event;
  return event.type === "asked"
    ? { type: "question", question }
    : { type: "questionSettled", id: question.id, by: event.by };
}
