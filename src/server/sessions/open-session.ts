// A session that a client has opened: its owner, its open questions, and the time in which nothing happened.
import type { Session } from "../../index.js";
import { type QuestionList, questionsOf, type SessionQuestions } from "./session-questions.js";

/** A session as clients read it. */
export interface SessionView {
  readonly id: string;
  readonly agent: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly usedAt: number;
  readonly running: boolean;
  /** Number of open questions. */
  readonly questions: number;
}

/** The caller that opened the session, and its agent. */
export interface Opening {
  /** Name of the key; undefined: the server has no keys. */
  readonly owner: string | undefined;
  readonly agent: string;
  readonly createdAt: number;
}

/** Options for keeping a session. */
export interface OpenSessionOptions {
  readonly idleMs: number;
  readonly questionMs: number;
  /** A list of questions that all sessions share. */
  readonly shared: QuestionList | undefined;
  expire(): void;
}

/** An open session. */
export class OpenSession {
  readonly session: Session;
  readonly opening: Opening;
  readonly questions: SessionQuestions;
  readonly #idleMs: number;
  readonly #expire: () => void;
  #usedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  /** `expire` is called once nothing has happened for `idleMs`. */
  constructor(session: Session, opening: Opening, { idleMs, questionMs, shared, expire }: OpenSessionOptions) {
    this.session = session;
    this.opening = opening;
    this.questions = questionsOf(session.id, { shared, questionMs });
    this.#idleMs = idleMs;
    this.#expire = expire;
    this.use();
  }

  /** Time of its last use. */
  get usedAt(): number {
    return this.#usedAt;
  }

  get isRunning(): boolean {
    return this.session.runs.length > 0;
  }

  /** Something happens: the time of idleness begins anew. */
  use(): void {
    this.#usedAt = Date.now();
    this.#wait();
  }

  /** Cancels what runs, and closes the session. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.session.close();
  }

  view(): SessionView {
    return {
      id: this.session.id,
      agent: this.opening.agent,
      createdAt: this.opening.createdAt,
      usedAt: this.#usedAt,
      running: this.isRunning,
      questions: this.questions.open().length,
    };
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.isRunning ? this.use() : this.#expire()), this.#idleMs);
    this.#timer.unref();
  }
}
