// The list of questions that an inspector shows.
import type { OpenQuestion } from "./wire.js";

/** A list of open questions, as `questions()` of `llama-hooks/hooks` makes it. */
export interface QuestionDesk {
  /** Returns the open questions in the order in which they were asked. */
  open(): readonly OpenQuestion[];
  /** Answers a question. Throws `TypeError` for a wrong answer, and NOT_FOUND if no open question has this id. */
  answer(id: string, answer: never): void;
  /** Calls the listener whenever a question is asked or settled. */
  on(listener: () => void): { dispose(): void };
}
