// The questions of one session: all of a separate list, or the session's part of a list that others read and answer,
// too.
import { type HookSet, LlamaHooksError } from "../../index.js";
import { type QuestionEvent, questions, type Questions } from "../../ready-hooks/index.js";

/** Maximum number of open questions of one session, which has a list for them. */
const mostQuestions = 32;

/** A list of questions. */
export type QuestionList = Pick<Questions, "open" | "answer" | "on">;

/** The questions of a session, with the hooks that ask them. */
export interface SessionQuestions extends QuestionList {
  /** The hooks that ask; none if the list is shared, because its hooks are the engine's. */
  readonly hooks: readonly HookSet[];
}

/** `shared`: a list whose hooks are the engine's; undefined: the session gets a separate list. */
export function questionsOf(
  sessionId: string,
  { shared, questionMs }: { readonly shared: QuestionList | undefined; readonly questionMs: number },
): SessionQuestions {
  if (shared === undefined) {
    const own = questions({ deadlineMs: questionMs, limit: mostQuestions });
    return { hooks: [own.hooks], open: () => own.open(), answer: own.answer.bind(own), on: own.on.bind(own) };
  }
  const open: QuestionList["open"] = () => shared.open().filter((question) => question.sessionId === sessionId);
  return {
    hooks: [],
    open,
    answer: (id, answer) => {
      // The answer must not reach a question of another session.
      if (!open().some((question) => question.id === id))
        throw new LlamaHooksError("NOT_FOUND", "no open question of this session has this id");
      shared.answer(id, answer);
    },
    on: (listener) =>
      shared.on((event: QuestionEvent) => {
        if (event.question.sessionId === sessionId) listener(event);
      }),
  };
}
