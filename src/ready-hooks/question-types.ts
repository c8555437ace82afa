// The types of questions that wait in a list, and of their answers.
import type { HookSet, Registration } from "../index.js";
import type { ApprovalAnswer, ApprovalRequest } from "./approval.js";

/** Options of `questions()`. Defaults are in brackets. */
export interface QuestionsOptions {
  /** Selects calls that are asked about although the rules allow them [none]. Without rules every call is allowed. */
  readonly also?: (request: ApprovalRequest) => boolean;
  /** Timeout of an answer in milliseconds; 0: no timeout [0]. */
  readonly deadlineMs?: number;
  /** Maximum number of open questions; further ones are denied or cancelled, with the reason [100]. */
  readonly limit?: number;
}

/** The members of every question. */
export interface Asked {
  /** Id for the answer: a random UUID, so that an answer meant for another process settles nothing here. */
  readonly id: string;
  /** The tool. */
  readonly toolName: string;
  /** The tier. Null: the session has no tiers. */
  readonly tier: string | null;
  /** The session's id. */
  readonly sessionId: string | null;
  /** The run's id; for a delegated task, the id of the delegated run. */
  readonly runId: string | null;
  /** When it was asked: milliseconds since the Unix epoch. */
  readonly askedAt: number;
}

/** A question: may this call run? */
export interface PermissionQuestion extends Asked, Omit<ApprovalRequest, "signal"> {
  /** The kind of the question. */
  readonly kind: "permission";
}

/** A tool's question for the user. */
export interface InputQuestion extends Asked {
  /** The kind of the question. */
  readonly kind: "input";
  /** The question, in the words of the tool. */
  readonly message: string;
  /** JSON Schema of the content of an answer: that of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A question that waits for an answer. */
export type Question = PermissionQuestion | InputQuestion;

/** The answer to an {@link InputQuestion}. */
export type InputAnswer =
  | {
      /** The content is there. */
      readonly action: "accept";
      /** The content, which fits the schema [an empty object]. */
      readonly content?: Readonly<Record<string, unknown>>;
    }
  | {
      /** `decline`: the user refuses; `cancel`: the user does not decide. */
      readonly action: "decline" | "cancel";
      /** The reason of a cancel, which the tool gets. */
      readonly reason?: string;
    };

/** A question was asked, or is not open any more. */
export type QuestionEvent =
  | {
      /** The question is open now. */
      readonly type: "asked";
      /** The question. */
      readonly question: Question;
    }
  | {
      /** The question is not open any more. */
      readonly type: "settled";
      /** The question. */
      readonly question: Question;
      /** The cause of its end: an answer, its deadline, or the end of its call or run. */
      readonly by: "answer" | "deadline" | "abort";
    };

/** A list of open questions. Hooks add them, and the program answers them. */
export interface Questions {
  /** The hooks that ask. Add them to an engine, a session or a run; one list may serve several. */
  readonly hooks: HookSet;
  /** Returns the open questions in the order in which they were asked. */
  open(): readonly Question[];
  /**
   * Answers a question: `true`, `false` or `{ allow, reason, remember }` for a permission, `{ action, content }` for an
   * input. After an error the question is still open. Errors: `TypeError` for an answer that does not suit the
   * question, content that does not fit its schema included; NOT_FOUND if no open question has this id.
   */
  answer(id: string, answer: ApprovalAnswer | InputAnswer): void;
  /**
   * Calls the listener for each question that is asked or settled, at once; what it throws becomes a warning of the
   * process. Disposing of the returned object ends that.
   */
  on(listener: (event: QuestionEvent) => void): Pick<Registration, "dispose"> & Disposable;
}
